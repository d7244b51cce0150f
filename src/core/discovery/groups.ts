/** The group of every client that the owner put into none. */
export const DEFAULT_GROUP = 'default';
