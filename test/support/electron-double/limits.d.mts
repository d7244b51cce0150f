/** What a test that passes on the double does not show. */
export const LIMITS: readonly string[];
