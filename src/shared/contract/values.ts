import { z } from 'zod';
import { OWN_NAME } from '../text/own-name.ts';

/** Base units as a decimal string: digits only. */
export const UnitsText = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'write a whole number of base units, with digits alone');

/** A decimal amount as a person writes it: `1.50`. */
export const DecimalText = z.string().regex(/^(0|[1-9]\d{0,77})(\.\d{1,77})?$/, 'write a plain number such as 1.50');

/** A token of the registry on one network, with everything a page needs to write an amount of it. */
export const AssetView = z.object({
  /** CAIP-2 chain id, e.g. `eip155:84532`. */
  network: z.string(),
  /** What people call the network: `Base Sepolia`. */
  networkName: z.string(),
  /** Token contract or mint. */
  address: z.string(),
  symbol: z.string(),
  decimals: z.number().int().min(0).max(77),
});
export type AssetView = z.infer<typeof AssetView>;

/** An amount of a token. */
export const MoneyView = z.object({ asset: AssetView, units: UnitsText });
export type MoneyView = z.infer<typeof MoneyView>;

/** What paying costs besides the amount, at most. `rentUnits` of it stay as rent on a token account that is made for the payee. */
export const FeeView = MoneyView.extend({ rentUnits: UnitsText.optional() });
export type FeeView = z.infer<typeof FeeView>;

/** Milliseconds since the epoch. */
export const Timestamp = z.number().int().nonnegative();

/** Name of an upstream: it stands in URLs, config files and tool prefixes. `bursar` is what payments that Bursar orders itself count under. */
export const UpstreamName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'use 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit').refine((name) => name !== OWN_NAME, 'Bursar itself is called so: choose another name');

/**
 * Name under which payments count: that of an upstream, or the host of a paid HTTP API (`api.example.com`, `localhost:4021`), which always
 * has a dot or a port.
 */
export const ServerName = z.string().max(260).regex(/^(?:[a-z0-9][a-z0-9_-]{0,31}|(?=.*[.:])[a-z0-9[][a-z0-9_.:\]-]*)$/, 'name a server, or the host of an HTTP API');

export const Empty = z.object({});
