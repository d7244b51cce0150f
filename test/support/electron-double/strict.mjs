const SILENT = ['then', 'toJSON', 'domain'];

/** An API that the double lacks fails loudly instead of reading as undefined. */
export const strict = (name, target) =>
  new Proxy(target, {
    get(object, key) {
      if (key in object || typeof key === 'symbol' || SILENT.includes(key)) return Reflect.get(object, key, object);
      throw new Error(`electron double: ${name}.${key} is not modelled`);
    },
  });

/** An event that a listener may prevent. */
export const preventable = (fields = {}) => ({
  ...fields,
  defaultPrevented: false,
  preventDefault() {
    this.defaultPrevented = true;
  },
});

/** What the shell around the app was asked to do; tests read it as `electron.__record`. */
export const record = { notifications: [], trays: [], errors: [], questions: [], external: [], schemes: [], permissions: {}, badge: 0, touchId: { available: false, finger: 'right', prompts: [] }, openAtLogin: false, relaunched: false };
