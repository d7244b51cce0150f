import type { ErrorInfo } from '../../../../shared/errors/errors.ts';

/** True for an error that belongs beside the passphrase field: it is wrong, or may not be tried yet. */
export const isPassphraseError = (error: ErrorInfo | undefined): boolean => error?.code === 'PASSPHRASE_WRONG' || error?.code === 'PASSPHRASE_BUSY';
