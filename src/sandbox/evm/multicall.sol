// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The part of Multicall3 that callers of a Base node rely on: `tryAggregate` (the x402 facilitator's diagnosis of a
/// failed simulation) and `aggregate3` (viem's batching).
contract PlayMulticall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = _call(calls[i].target, calls[i].callData, !requireSuccess);
        }
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = _call(calls[i].target, calls[i].callData, calls[i].allowFailure);
        }
    }

    function _call(address target, bytes calldata data, bool allowFailure) private returns (Result memory result) {
        (result.success, result.returnData) = target.call(data);
        require(result.success || allowFailure, "Multicall3: call failed");
    }
}
