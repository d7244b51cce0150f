import type { FailedTransactionMetadata } from 'litesvm';

/** A transaction's failure in the form of Solana's JSON-RPC: a name, or an object such as `{InstructionError: [2, {Custom: 1}]}`. */
export type TransactionError = string | Readonly<Record<string, unknown>>;

// In the order of litesvm's enums, which are Solana's own; they cannot be imported as values (`const enum`).
const TRANSACTION_ERRORS = `
  AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee
  AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure
  InvalidProgramForExecution SanitizeFailure ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit
  UnsupportedVersion InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit
  TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData
  InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit
  MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction
  ProgramCacheHitMaxLimit CommitCancelled`.trim().split(/\s+/);
const INSTRUCTION_ERRORS = `
  GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds
  IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction
  ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified
  DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged
  AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError
  ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth
  MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded
  PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable
  IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner
  MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded
  BuiltinProgramsMustConsumeComputeUnits BorshIoError`.trim().split(/\s+/);

/** What {@link describeError} says where the name alone would not tell a reader enough; the texts are Agave's. */
const TEXTS: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  SignatureFailure: 'Transaction did not pass signature verification',
};

/** litesvm's error in the form of Solana's JSON-RPC. */
export function toTransactionError(error: ReturnType<FailedTransactionMetadata['err']>): TransactionError {
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? `Unknown${error}`;
  if ('err' in error) {
    const inner = error.err();
    if (typeof inner === 'number') return { InstructionError: [error.index, INSTRUCTION_ERRORS[inner] ?? `Unknown${inner}`] };
    return { InstructionError: [error.index, 'code' in inner ? { Custom: inner.code } : { BorshIoError: inner.msg }] };
  }
  if ('index' in error) return { DuplicateInstruction: error.index };
  const kind = error.constructor.name.replace(/^TransactionError/, '');
  return { [kind]: { account_index: error.accountIndex } };
}

/** One line for a reader, as a node words it: `Error processing Instruction 2: custom program error: 0x1`. */
export function describeError(error: TransactionError): string {
  if (typeof error === 'string') return TEXTS[error] ?? error;
  const failure = error['InstructionError'];
  if (!Array.isArray(failure)) return JSON.stringify(error);
  const [index, reason]: unknown[] = failure;
  const custom = typeof reason === 'object' && reason !== null && 'Custom' in reason ? reason.Custom : undefined;
  const text = typeof custom === 'number' ? `custom program error: 0x${custom.toString(16)}` : JSON.stringify(reason);
  return `Error processing Instruction ${String(index)}: ${text}`;
}
