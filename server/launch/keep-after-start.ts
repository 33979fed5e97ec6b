// The first start on a machine opens an empty folder, so the compiled form that it writes lacks the
// functions that read a database and answer searches. A later start has it written again, once.
import type { Engine } from '../../engine/index.ts'

/** Clients have searched by then, and V8 has not yet dropped the code of the start. */
export const KEPT_AFTER_MS = 10_000

/** Calls `keep` some time after a start that found indexes. */
export function keepAfterStart(
  { administration }: { readonly administration: Pick<Engine['administration'], 'sizes'> },
  keep: () => void,
): void {
  if (administration.sizes().indexes.size > 0) setTimeout(keep, KEPT_AFTER_MS).unref()
}
