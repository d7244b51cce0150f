import { isHex, parseAbi, type Hex } from 'viem';
import { BursarError } from '../../shared/errors/errors.ts';
import multicall from './multicall.json' with { type: 'json' };
import token from './token.json' with { type: 'json' };

/** What the sandbox and its tests call on the token; the whole interface stands in `token.json`. */
export const USDC_ABI = parseAbi([
  'function init(string name, string version)',
  'function mint(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

/** The runtime code of `token.sol`. */
export const USDC_RUNTIME = codeOf(token);
/** The runtime code of `multicall.sol`. */
export const MULTICALL_RUNTIME = codeOf(multicall);

function codeOf({ runtime }: { readonly runtime: string }): Hex {
  if (!isHex(runtime)) throw new BursarError('INTERNAL', 'A compiled contract holds no code. Compile it again.');
  return runtime;
}
