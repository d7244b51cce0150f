/** Starts Bursar when its owner signs in to the machine. Each host brings its own; the settings only ask and tell. */
export interface LoginItem {
  /** False where this host knows no way; `get` then says false, and `set` is not called. */
  readonly supported: boolean;
  get(): Promise<boolean>;
  /** Throws `LOGIN_ITEM_FAILED` with the reason where the system refuses. */
  set(on: boolean): Promise<void>;
}
