import type { ClientChannel } from '../channel.ts';

/** Collects the answers to a batch (MCP 2025-03-26), which go to different servers, into one; what else is said meanwhile passes at once. */
export function batchChannel(to: ClientChannel, requests: number): ClientChannel {
  const answers: string[] = [];
  const reports: ((written: boolean) => void)[] = [];
  let waiting = requests;
  const settle = (): void => {
    if (--waiting > 0) return;
    if (answers.length === 0) return to.end();
    to.write(`[${answers.join(',')}]`, { last: true, done: (written) => reports.forEach((report) => report(written)) });
  };
  return {
    get open() {
      return to.open;
    },
    get streams() {
      return to.streams;
    },
    write(text, { last = false, done } = {}) {
      if (!last) return to.write(text, done === undefined ? {} : { done });
      answers.push(text);
      if (done !== undefined) reports.push(done);
      settle();
    },
    end: settle,
    pause: () => to.pause?.(),
  };
}
