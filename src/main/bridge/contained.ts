/** A handler of one connection or process: what it throws goes to `onError`, because outside of it a throw ends the whole app. */
export const contained = <T>(handle: (value: T) => void, onError: (error: unknown) => void) => (value: T): void => {
  try {
    handle(value);
  } catch (error) {
    onError(error);
  }
};

/** What a log says of something thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
