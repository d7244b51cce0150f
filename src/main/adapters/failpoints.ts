import { onFailpoint } from '../../core/failpoint.ts';

/**
 * Kills this process at the failpoint that a test names in `BURSAR_FAILPOINT`: `NAME`, or `NAME:N` for the Nth time that it is reached.
 * Only test builds have failpoints, so callers guard it with `__FAILPOINTS__`.
 */
export function armFailpoints(): void {
  const [wanted, times = '1'] = (process.env['BURSAR_FAILPOINT'] ?? '').split(':');
  let left = Number(times);
  onFailpoint((name) => {
    if (name === wanted && --left === 0) process.kill(process.pid, 'SIGKILL');
  });
}
