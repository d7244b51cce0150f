/** CAIP-19 id of a token or coin, as policies and alerts name it. */
export const assetId = ({ network, address }: { readonly network: string; readonly address: string }): string => `${network}/${network.startsWith('eip155:') ? 'erc20' : 'token'}:${address}`;
