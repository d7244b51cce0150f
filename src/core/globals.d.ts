// What core may use of the platform (design, "Layout"): the few globals that Node and browsers share. Anything else is a port.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
declare class URL {
  constructor(url: string, base?: string);
  readonly protocol: string;
  readonly hostname: string;
  readonly host: string;
  readonly href: string;
  readonly pathname: string;
  readonly search: string;
  readonly username: string;
  readonly password: string;
}
declare class AbortSignal extends EventTargetLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare class EventTargetLike {
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
