import type { ClientKind } from '../../../shared/contract/clients.ts';
import type { ConfigShape } from '../formats/config-format.ts';

/** What decides where programs keep their files. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, absolute. */
  readonly home: string;
}

/** A server as a command that a client starts. */
export interface Registration {
  /** Absolute: clients with a window do not have the shell's PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a client may keep its servers. */
export interface ClientPlace {
  readonly path: string;
  /** One of these is there where the client is installed, or was. */
  readonly signs: readonly string[];
}

/** What Bursar knows of one MCP client: one file of this folder, and one line in the list of them. */
export interface ClientSpec {
  readonly kind: ClientKind;
  readonly name: string;
  /** The places, best first. The first whose file is there is taken, else the first with a sign. */
  places(machine: Machine): readonly ClientPlace[];
  readonly shape: ConfigShape;
  /** A command as this client's file writes it. */
  entry(registration: Registration): Readonly<Record<string, unknown>>;
  /** What in its values the client replaces by something else before it uses them; nothing without it. */
  readonly variables?: RegExp;
  /** An address that makes the client ask its user to add a server. */
  installLink?(name: string, entry: Readonly<Record<string, unknown>>): string;
}

/** Most clients write a command as it is. */
export const plainEntry = ({ command, args, env }: Registration): Readonly<Record<string, unknown>> => ({ command, args, ...(env && { env }) });

/** The same, for clients that want to be told that it is a command. */
export const stdioEntry = (registration: Registration): Readonly<Record<string, unknown>> => ({ type: 'stdio', ...plainEntry(registration) });
