/** Bursar itself, where a payment names the server that asked: it orders sends. No server may be called so. */
export const OWN_NAME = 'bursar';
