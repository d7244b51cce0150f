/** Typed data of EIP-3009's transfer, as the token verifies it (EIP-3009, "transferWithAuthorization"). */
export const TRANSFER_WITH_AUTHORIZATION = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Typed data of EIP-3009's cancellation (EIP-3009, "cancelAuthorization"). */
export const CANCEL_AUTHORIZATION = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Seconds that an authorization may live at most: while it lives it holds budget (design, "Slow humans"). */
export const MAX_LIFETIME_S = 600;
