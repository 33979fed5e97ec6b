// The readers of whole bodies by name, because a name can be sent to a thread.
import * as parse from '../parse/index.ts'
import * as writes from './writes.ts'

export const BODY_READERS = {
  chatSettings: parse.readChatSettings,
  completion: parse.readCompletion,
  deletedIds: writes.readDeletedIds,
  deletionFilter: writes.readDeletionFilter,
  documentsFetch: parse.readDocumentsFetch,
  edition: writes.readEdition,
  export: parse.readExport,
  facetSearch: parse.readFacetSearch,
  features: parse.readFeatures,
  fields: parse.readFields,
  indexCreation: parse.readIndexCreation,
  indexUpdate: parse.readIndexUpdate,
  keyCreation: parse.readKeyCreation,
  keyUpdate: parse.readKeyUpdate,
  logStream: parse.readLogStream,
  logTarget: parse.readLogTarget,
  mcpMessage: parse.readMcpMessage,
  multiSearch: parse.readMultiSearch,
  networkForeign: parse.readNetworkForeign,
  networkMessage: parse.readNetworkMessage,
  networkSearch: parse.readNetworkSearch,
  networkSimilar: parse.readNetworkSimilar,
  networkPatch: parse.readNetworkPatch,
  networkRepair: parse.readNetworkRepair,
  render: parse.readRender,
  ruleListing: parse.readRuleListing,
  rulePatch: parse.readRulePatch,
  search: parse.readSearch,
  settingsChange: writes.readSettingsChange,
  similar: parse.readSimilar,
  suggest: parse.readSuggest,
  swaps: parse.readSwaps,
  webhook: parse.readWebhook,
} as const satisfies { readonly [name: string]: (body: Uint8Array, detail: never) => unknown }

export type BodyName = keyof typeof BODY_READERS
/** The reader's arguments besides the body: none or one. */
export type BodyDetail<N extends BodyName> =
  Parameters<(typeof BODY_READERS)[N]> extends [Uint8Array, infer Detail] ? [Detail] : []
export type BodyValue<N extends BodyName> = ReturnType<(typeof BODY_READERS)[N]>

/** Returns true if a text begins with a byte order mark, which parsers may ignore (RFC 8259). */
const hasMark = (body: Uint8Array): boolean =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf

/** Reads a body inline. @throws ApiError */
export function readNow<N extends BodyName>(
  name: N,
  body: Uint8Array,
  detail: BodyDetail<N>,
): BodyValue<N> {
  const read = BODY_READERS[name] as (body: Uint8Array, ...rest: readonly unknown[]) => unknown
  return read(hasMark(body) ? body.subarray(3) : body, ...detail) as BodyValue<N>
}
