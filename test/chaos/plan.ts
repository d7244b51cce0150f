import { AGENT_FAULTS, APP_FAULTS, CHAIN_FAULTS, isAppFault, isChainFault, isKill, isSolanaFault, KILLS, SELLER_FAULTS, SOLANA_FAULTS, type AppFault, type CallFault, type ChainFault, type Fault, type Kill } from './faults.ts';
import { seededRandom, type Random } from './random.ts';

/** Applications that run side by side, each with a data folder, keys and agents of its own. */
export const HOUSES = 4;

/** The servers of a house. `scarce` has a small daily limit, `asks` needs the owner, `pipe` is a stdio child. */
export const UPSTREAMS = ['shop', 'pipe', 'scarce', 'asks'] as const;
export type UpstreamName = (typeof UPSTREAMS)[number];
export type AgentName = 'http' | 'stdio-a' | 'stdio-b';

/** Base units of USDC (6 decimals). */
export const PRICE = 10_000n;
export const CALL_LIMIT = 500_000n;
export const SCARCE_LIMIT = 50_000n;
const OVER_CALL_LIMIT = 600_000n;

/** One thing that an agent wants to buy, with all that was decided about it beforehand. */
export interface PlannedCall {
  readonly id: number;
  readonly upstream: UpstreamName;
  readonly chain: 'evm' | 'solana';
  /** Base units, decimal. */
  readonly units: string;
  readonly agent: AgentName;
  readonly fault?: CallFault;
  readonly ownerApproves: boolean;
  /** By a transfer of the application's own, made before the call is repeated. */
  readonly prepaid?: boolean;
}

/** Calls that an application gets at once. */
export interface Wave {
  readonly calls: readonly PlannedCall[];
  readonly appFault?: AppFault;
  readonly kill?: Kill;
  /** The how many-th time that the kill's place is reached counts. */
  readonly nth: number;
}

export interface HousePlan {
  readonly waves: readonly Wave[];
  readonly chainPhases: Readonly<Record<ChainFault, readonly PlannedCall[]>>;
  /** Untroubled calls held back to the end: faults that found nothing to strike, because the machine was slow, get another chance with these. */
  readonly reserve: readonly PlannedCall[];
}

export interface Plan {
  readonly calls: number;
  readonly houses: readonly HousePlan[];
}

/** Kills that need a payment which the owner was asked about. */
const ASKED_KILLS: readonly Kill[] = ['kill-budget-reserved', 'kill-owner-answered'];
/** The kill that needs a payment whose money moves before the call is repeated. */
const PREPAID_KILL: Kill = 'kill-payment-submitted';

/** Draws the whole history from a seed. Nothing that happens later changes a decision, except what becomes of the reserve. */
export function drawPlan(seed: number, calls: number): Plan {
  const random = seededRandom(seed);
  const perFault = Math.max(1, Math.ceil(calls / 43));
  const perKill = Math.min(perFault, 5 + Math.ceil(calls / 150));
  let id = 0;
  const draw = (change: Partial<PlannedCall> = {}): PlannedCall => ({
    id: ++id,
    upstream: random.pick(['shop', 'shop', 'pipe'] as const),
    chain: isSolanaFault(change.fault) ? 'solana' : random.pick(['evm', 'solana'] as const),
    units: String(PRICE + BigInt(random.int(9)) * 100n),
    agent: random.pick(['http', 'stdio-a', 'stdio-b'] as const),
    ownerApproves: random.int(6) > 0,
    ...change,
  });
  const times = (count: number, change: () => Partial<PlannedCall>): PlannedCall[] => Array.from({ length: count }, () => draw(change()));

  const kills = random.shuffle(KILLS.flatMap((kill) => Array.from({ length: perKill }, () => kill)));
  const appFaults = random.shuffle(APP_FAULTS.flatMap((fault) => Array.from({ length: Math.max(1, Math.floor(perFault / 3)) }, () => fault)));
  const phases = CHAIN_FAULTS.map((fault) => [fault, times(perFault, () => ({ chain: 'evm', upstream: 'shop', agent: 'http' }))] as const);
  const askedForKills = times(perKill * ASKED_KILLS.length, () => ({ upstream: 'asks', ownerApproves: true }));
  const prepaidForKills = times(perKill, () => PREPAID);
  const troubled = [...SELLER_FAULTS, ...SOLANA_FAULTS, ...AGENT_FAULTS].flatMap((fault) => times(perFault, () => withFault(fault)));
  const scarce = times(Math.ceil(calls * 0.06), () => ({ upstream: 'scarce', units: String(PRICE) }));
  const tooDear = times(Math.ceil(calls / 150), () => ({ units: String(OVER_CALL_LIMIT) }));
  const asked = times(Math.ceil(calls / 60), () => ({ upstream: 'asks' }));
  const reserve = times(Math.min(Math.ceil(calls / 25), Math.max(0, calls - id)), () => ({ ownerApproves: true }));
  const plain = times(Math.max(0, calls - id), () => ({}));

  const houses = Array.from({ length: HOUSES }, (_, house): HousePlan => {
    const share = <T>(list: readonly T[]): T[] => list.filter((_item, index) => index % HOUSES === house);
    const waves = housePlan(random, {
      kills: share(kills),
      appFaults: share(appFaults),
      askedForKills: share(askedForKills),
      prepaidForKills: share(prepaidForKills),
      plain: share(plain),
      others: random.shuffle([...share(troubled), ...share(tooDear), ...share(asked)]),
    });
    const rush: Wave = { calls: share(scarce), nth: 1 };
    const chainPhases = Object.fromEntries(phases.map(([fault, list]) => [fault, share(list)])) as unknown as HousePlan['chainPhases'];
    return { waves: [rush, ...waves], chainPhases, reserve: share(reserve) };
  });
  return { calls: id, houses };
}

const PREPAID = { prepaid: true, chain: 'solana', upstream: 'shop', ownerApproves: true } as const;

/** Servers that fail are asked about, and a fault needs a call that is paid: the owner says no to untroubled calls. */
function withFault(fault: CallFault): Partial<PlannedCall> {
  if (fault === 'cancel-waiting') return { fault, upstream: 'asks', ownerApproves: true };
  if (fault === 'connection-dropped') return { fault, agent: 'http', ownerApproves: true };
  return { fault, ownerApproves: true };
}

/** A call of the reserve, changed so that a fault of any kind finds in it what it needs to strike. */
export function forFault(call: PlannedCall, fault: Fault): PlannedCall {
  if (isChainFault(fault)) return { ...call, chain: 'evm', upstream: 'shop', agent: 'http' };
  if (isAppFault(fault)) return { ...call, chain: chainOf(fault), upstream: 'shop' };
  if (isKill(fault)) return { ...call, ...(fault === PREPAID_KILL ? PREPAID : { upstream: ASKED_KILLS.includes(fault) ? 'asks' : 'shop' }) };
  return { ...call, ...(isSolanaFault(fault) && { chain: 'solana' }), ...withFault(fault) };
}

/** The chain whose RPC server a fault of the application's own RPC servers befalls: it needs a payment there to strike. */
const chainOf = (fault: AppFault): PlannedCall['chain'] => (fault.startsWith('app-solana') ? 'solana' : 'evm');

interface Hand {
  readonly kills: readonly Kill[];
  readonly appFaults: readonly AppFault[];
  readonly askedForKills: readonly PlannedCall[];
  readonly prepaidForKills: readonly PlannedCall[];
  readonly plain: readonly PlannedCall[];
  readonly others: readonly PlannedCall[];
}

/** Deals a house's calls over its waves: each kill and each RPC fault has one, with at least one untroubled call where there are enough. */
function housePlan(random: Random, hand: Hand): Wave[] {
  const plain = [...hand.plain];
  const askedForKills = [...hand.askedForKills];
  const prepaidForKills = [...hand.prepaidForKills];
  const events = random.shuffle([...hand.kills, ...hand.appFaults]);
  const hands = events.map((event) => {
    const calls: PlannedCall[] = [];
    const needed = event === PREPAID_KILL ? prepaidForKills.shift() : isKill(event) && ASKED_KILLS.includes(event) ? askedForKills.shift() : undefined;
    if (needed) calls.push(needed);
    const sure = needed ? undefined : plain.shift();
    if (sure) calls.push({ ...sure, ...(isAppFault(event) && { chain: chainOf(event) }) });
    return { event, calls };
  });
  const rest = random.shuffle([...hand.others, ...plain, ...askedForKills, ...prepaidForKills]);
  rest.forEach((call, index) => hands[index % hands.length]?.calls.push(call));
  return hands.map(({ event, calls }) => {
    if (isAppFault(event)) return { calls, nth: 1, appFault: event };
    const soon = calls.length < 4 || event === PREPAID_KILL || ASKED_KILLS.includes(event);
    return { calls, nth: event === 'kill-any-moment' ? 1 + random.int(9) : soon ? 1 : 1 + random.int(2), kill: event };
  });
}
