import {
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  type Transaction,
} from '@solana/kit';

/** A compiled message with its blockhash. */
export type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;

/** Decodes wire bytes in base64. Throws kit's error where they are no transaction. */
export const decodeWire = (wire: string): Transaction => getTransactionDecoder().decode(Buffer.from(wire, 'base64'));

/** The compiled message of a transaction. */
export const decodeMessage = (transaction: Transaction): Message =>
  getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);

/** An instruction whose program and accounts are indices into the message's addresses. */
export interface CompiledInstruction {
  readonly programAddressIndex: number;
  readonly accountIndices?: readonly number[];
  readonly data?: ArrayLike<number>;
}

/** The instructions of a message, whatever its version. */
export const instructionsOf = (message: Message): readonly CompiledInstruction[] =>
  'instructions' in message ? message.instructions : [];

/** The data of an instruction, empty where it has none. */
export const bytesOf = ({ data }: CompiledInstruction): Buffer => (data ? Buffer.from(data) : Buffer.alloc(0));
