import { onFailpoint } from '../../core/failpoint.ts';

/** Kills this process at the failpoint that a test names. Only test builds have failpoints, so callers guard it with `__FAILPOINTS__`. */
export function armFailpoints(): void {
  const wanted = process.env['BURSAR_FAILPOINT'];
  onFailpoint((name) => {
    if (name === wanted) process.kill(process.pid, 'SIGKILL');
  });
}
