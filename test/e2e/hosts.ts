/** The hosts that the specs know: Node with a browser, the Electron double, and Electron itself where its binary is. */
export const HOSTS = ['headless', 'double', 'electron'] as const;
export type HostName = (typeof HOSTS)[number];
