import type { Row } from './row.ts';
export async function* clientRows(): AsyncGenerator<Row> {}
