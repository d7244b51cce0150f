import type { ClientChannel } from '../channel.ts';
import type { Session } from '../session.ts';
import { Member, type MemberOptions } from './member.ts';
import type { FromServer } from './messages.ts';

export interface MembersOptions extends Pick<MemberOptions, 'greeting' | 'level' | 'clientMeta' | 'main'> {
  /** The enabled servers. */
  readonly names: () => readonly string[];
  /** Opens a session with a server. */
  readonly open: (upstream: string, main: ClientChannel, onPressure: (full: boolean) => void) => Session;
  readonly onMessage: (member: Member, from: FromServer, channel: ClientChannel, done?: (written: boolean) => void) => void;
  /** Is one of them that holds back the client? */
  readonly onPressure: (full: boolean) => void;
}

/** The servers of one aggregate session, each from the first time that something is asked of it. */
export interface Members {
  /** The one of that name, greeted or not. */
  of(upstream: string): Member;
  /** The one of that name, greeted; undefined where there is no such server. */
  ready(upstream: string): Promise<Member | undefined>;
  get(upstream: string): Member | undefined;
  all(): readonly Member[];
  /** Those whose handshake is done. */
  live(): readonly Member[];
  /** Ends the session with one; the next time it is needed it is another. */
  drop(member: Member, reason: string): void;
}

export function createMembers({ names, open, main, onMessage, onPressure, ...options }: MembersOptions): Members {
  const members = new Map<string, Member>();
  const pressing = new Set<string>();

  const of = (upstream: string): Member => {
    const known = members.get(upstream);
    if (known !== undefined) return known;
    const member: Member = new Member({
      ...options,
      upstream,
      main,
      open: (own, onFull) => open(upstream, own, onFull),
      onMessage: (from, channel, done) => onMessage(member, from, channel, done),
      onPressure: (full) => {
        if (full) pressing.add(upstream);
        else pressing.delete(upstream);
        onPressure(pressing.size > 0);
      },
    });
    members.set(upstream, member);
    return member;
  };

  return {
    of,
    async ready(upstream) {
      if (!names().includes(upstream)) return undefined;
      const member = of(upstream);
      if (!member.live) await member.ready();
      return member;
    },
    get: (upstream) => members.get(upstream),
    all: () => [...members.values()],
    live: () => [...members.values()].filter((member) => member.live),
    drop(member, reason) {
      members.delete(member.upstream);
      void member.close({ reason });
    },
  };
}
