import { spawn, type ChildProcess } from 'node:child_process';

/** Ends process groups that outlive Bursar, whatever ended Bursar. */
export interface OrphanGuard {
  /** From now on the group dies soon after this process does. */
  watch(groupId: number): void;
  /** The group is gone; its number may be used by others. */
  forget(groupId: number): void;
  close(): void;
}

// Reads group ids until our end of the pipe closes, gives the servers a second to see their own stdin close, then kills.
// It covers SIGKILL of Bursar, macOS too, and grandchildren (npx), which a parent-death signal would miss.
const SCRIPT = `
groups=''
while read -r sign group; do
  if [ "$sign" = + ]; then groups="$groups $group"; continue; fi
  rest=''
  for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
  groups=$rest
done
[ -z "$groups" ] && exit 0
sleep 1
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
`;

/** On Windows there are no process groups: there the closing stdin is all that an orphan gets. */
export function createOrphanGuard(): OrphanGuard {
  let guard: ChildProcess | undefined;
  const groups = new Set<number>();

  const start = (): ChildProcess => {
    const child = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } });
    const gone = (): void => {
      if (guard === child) guard = undefined;
    };
    child.on('error', gone).on('exit', gone);
    child.stdin?.on('error', gone);
    child.unref();
    (child.stdin as unknown as { unref?: () => void }).unref?.();
    for (const group of groups) child.stdin?.write(`+ ${group}\n`);
    return child;
  };

  return {
    watch(groupId) {
      if (process.platform === 'win32') return;
      guard ??= start();
      groups.add(groupId);
      guard.stdin?.write(`+ ${groupId}\n`);
    },
    forget(groupId) {
      if (groups.delete(groupId)) guard?.stdin?.write(`- ${groupId}\n`);
    },
    close() {
      guard?.stdin?.end();
      guard = undefined;
    },
  };
}
