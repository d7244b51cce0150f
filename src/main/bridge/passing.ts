/** So many entries may leave before the rest moves to a new table. */
const RENEW_AFTER = 256;

/**
 * A map whose entries come and go with each message. V8 links every table that a `Map` or `Set` has outgrown to the one after it, and
 * deleted entries outgrow it too: once such a table has grown old, it keeps all later ones alive with everything they ever held, and the
 * collector of the young copies that again and again. A map that is replaced from time to time has no such chain.
 */
export class PassingMap<K, V> {
  #map = new Map<K, V>();
  #left = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
  }

  delete(key: K): boolean {
    const was = this.#map.delete(key);
    if (was && ++this.#left >= RENEW_AFTER) {
      this.#left = 0;
      this.#map = new Map(this.#map);
    }
    return was;
  }

  keys(): Iterable<K> {
    return this.#map.keys();
  }

  values(): Iterable<V> {
    return this.#map.values();
  }
}

/** The same for a set. */
export class PassingSet<T> {
  readonly #map = new PassingMap<T, T>();

  add(value: T): void {
    this.#map.set(value, value);
  }

  delete(value: T): boolean {
    return this.#map.delete(value);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#map.keys()[Symbol.iterator]();
  }
}
