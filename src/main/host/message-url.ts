/** A message to one person, as `main/escrow/claim-message.ts` prepares it, and nothing else of these schemes. */
const MESSAGE = /^(?:mailto:[^?&#,;\s]{3,400}\?subject=[^&#\s]*&body=[^&#\s]*|sms:\+\d{5,20}\?body=[^&#\s]*)$/;

/** True for a prepared message. It holds a secret: it is handed on and never logged. */
export const isMessage = (url: string): boolean => MESSAGE.test(url);
