import type { BenchClient } from '../bench/bridge/clients.ts';
import type { HttpAgent } from '../support/http-agent.ts';

/** What was done so far. */
export interface Tally {
  calls: number;
  sessions: number;
  crashes: number;
  cancelled: number;
  paid: number;
  readonly failures: string[];
}

/** How the load reaches Bursar: a session over each transport with each kind of server. */
export interface Ways {
  readonly http: (upstream: 'echo-http' | 'echo-stdio') => Promise<BenchClient>;
  readonly shim: (upstream: 'echo-http' | 'echo-stdio') => Promise<BenchClient>;
  readonly buyer: HttpAgent;
}

const TEXTS = [256, 4_096, 65_536, 300_000].map((size) => 'The quick brown fox jumps over the lazy dog.\n'.repeat(Math.ceil(size / 45)).slice(0, size));
const CALLS_OF_A_SESSION = 20;
/** So many calls of a visiting client are followed by one that is called off. */
const CALLS_TO_A_CANCEL = 7;

/** Loads Bursar until `until` (ms of `performance.now`): clients that stay, clients that come and go, servers that crash, purchases. */
export async function load(ways: Ways, tally: Tally, { until, purchases }: { readonly until: number; readonly purchases: number }): Promise<void> {
  const running = (): boolean => performance.now() < until;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (tally.failures.length < 20) tally.failures.push(error instanceof Error ? error.message : String(error));
    }
  };
  const text = (): string => TEXTS[tally.calls % TEXTS.length]!;
  const open = async (from: () => Promise<BenchClient>): Promise<BenchClient> => {
    const client = await from();
    tally.sessions += 1;
    return client;
  };
  const echo = async (client: BenchClient): Promise<void> => {
    await client.echo(text());
    tally.calls += 1;
  };

  const resident = (from: () => Promise<BenchClient>) => attempt(async () => {
    const client = await open(from);
    while (running()) await attempt(() => echo(client));
    await client.close();
  });
  const visitors = async (...from: (() => Promise<BenchClient>)[]): Promise<void> => {
    for (let visit = 0; running(); visit += 1) {
      await attempt(async () => {
        const client = await open(from[visit % from.length]!);
        try {
          for (let call = 0; call < CALLS_OF_A_SESSION; call += 1) {
            await echo(client);
            if (call % CALLS_TO_A_CANCEL !== 0) continue;
            await client.cancelled();
            tally.cancelled += 1;
          }
        } finally {
          await client.close();
        }
      });
    }
  };
  const crashes = async (from: () => Promise<BenchClient>): Promise<void> => {
    while (running()) {
      await attempt(async () => {
        const client = await open(from);
        try {
          await echo(client);
          // The answer is an error; the server starts again with the next call.
          await client.echo('crash').catch(() => (tally.crashes += 1));
          await echo(client);
        } finally {
          await client.close();
        }
      });
    }
  };
  const buy = async (): Promise<void> => {
    const pause = (until - performance.now()) / (purchases + 1);
    for (let next = performance.now() + pause; running() && tally.paid < purchases; next += pause) {
      while (performance.now() < next && running()) await new Promise((resolve) => setTimeout(resolve, 200));
      if (!running()) return;
      await attempt(async () => {
        const answer = await ways.buyer.call('sun_times', { latitude: 50 + tally.paid / 100, longitude: 13, date: '2026-06-21' });
        if (answer.result === undefined || answer.result.isError === true) throw new Error(`a purchase was not served: ${JSON.stringify(answer).slice(0, 300)}`);
        tally.paid += 1;
      });
    }
  };

  await Promise.all([
    resident(() => ways.http('echo-http')),
    resident(() => ways.http('echo-stdio')),
    resident(() => ways.shim('echo-http')),
    visitors(() => ways.http('echo-http'), () => ways.http('echo-stdio'), () => ways.shim('echo-stdio'), () => ways.shim('echo-http')),
    crashes(() => ways.http('echo-stdio')),
    buy(),
  ]);
}
