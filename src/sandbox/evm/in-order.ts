/** Runs one piece of work at a time, in the order of the calls. */
export type InOrder = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A fresh {@link InOrder}. anvil gives two transactions that arrive together the same nonce, so whoever sends from its accounts
 * waits for the answer to the one before.
 */
export function inOrder(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
}
