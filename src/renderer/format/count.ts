const plain = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });

/** A count with the reader's separators: `100,000`. */
export const formatCount = (count: number): string => plain.format(count);
