// Failures that the engine reports to its callers and that tasks end with. An EngineFault is caused
// by the client: it carries a code of the public catalogue and a complete sentence; the server
// knows its HTTP status, the engine does not. A StorageError is caused by the file system or a
// damaged file.

import { CorruptionError, VersionError } from '../../format/errors.ts'
import { VectorNeeded } from './vector-needed.ts'

/** The catalogue codes that the engine itself raises; `server/errors` holds the whole catalogue. */
export type FaultCode =
  | 'answer_too_large'
  | 'api_key_already_exists'
  | 'api_key_not_found'
  | 'bad_request'
  | 'batch_not_found'
  | 'chat_not_found'
  | 'database_size_limit_reached'
  | 'document_not_found'
  | 'edit_documents_by_function_error'
  | 'facet_search_disabled'
  | 'feature_not_enabled'
  | 'index_already_exists'
  | 'import_task_already_received'
  | 'import_task_unknown_remote'
  | 'import_task_without_network_task'
  | 'index_not_downloaded'
  | 'index_not_found'
  | 'index_primary_key_already_exists'
  | 'index_primary_key_multiple_candidates_found'
  | 'index_primary_key_no_candidate_found'
  | 'internal'
  | 'invalid_chat_setting_document_template'
  | 'invalid_document_csv_delimiter'
  | 'invalid_document_fields'
  | 'invalid_document_filter'
  | 'invalid_document_geo_field'
  | 'invalid_document_geojson_field'
  | 'invalid_document_id'
  | 'invalid_document_sort'
  | 'invalid_facet_search_facet_name'
  | 'invalid_multi_search_facet_order'
  | 'invalid_multi_search_query_ranking_rules'
  | 'invalid_api_key'
  | 'invalid_network_remotes'
  | 'invalid_network_self'
  | 'invalid_network_shards'
  | 'invalid_network_url'
  | 'invalid_search_attributes_to_search_on'
  | 'invalid_search_distinct'
  | 'invalid_search_embedder'
  | 'invalid_search_facets'
  | 'invalid_search_filter'
  | 'invalid_search_media_and_vector'
  | 'invalid_search_sort'
  | 'invalid_s_3_snapshot_parameters'
  | 'invalid_s_3_snapshot_request'
  | 'invalid_settings_embedders'
  | 'invalid_settings_ranking_rules'
  | 'invalid_settings_typo_tolerance'
  | 'invalid_similar_embedder'
  | 'invalid_similar_filter'
  | 'invalid_swap_indexes'
  | 'invalid_vector_dimensions'
  | 'invalid_vectors_type'
  | 'invalid_webhook_headers'
  | 'invalid_webhooks'
  | 'io_error'
  | 'malformed_payload'
  | 'max_fields_limit_exceeded'
  | 'missing_document_id'
  | 'missing_network_url'
  | 'missing_payload'
  | 'missing_search_hybrid'
  | 'network_version_mismatch'
  | 'network_leader_mismatch'
  | 'network_version_too_old'
  | 'no_space_left_on_device'
  | 'not_a_leader'
  | 'not_found_similar_id'
  | 'payload_too_large'
  | 'read_only_follower'
  | 'receive_import_finished_unknown_remote'
  | 'remote_bad_request'
  | 'remote_bad_response'
  | 'remote_could_not_send_request'
  | 'remote_invalid_api_key'
  | 'remote_remote_error'
  | 'remote_timeout'
  | 's_3_snapshot_server_error'
  | 'task_file_not_found'
  | 'task_not_found'
  | 'too_many_answers'
  | 'too_many_open_files'
  | 'too_many_search_requests'
  | 'vector_embedding_error'
  | 'webhook_not_found'

/** An error caused by a client, or the error that a task failed with. Clients read `message`. */
export class EngineFault extends Error {
  override readonly name = 'EngineFault'
  constructor(
    readonly code: FaultCode,
    message: string,
  ) {
    super(abridged(message))
  }
}

/**
 * UTF-16 units of a message. Messages quote client data, which may be megabytes; recorded messages
 * are far shorter.
 */
const MESSAGE_UNITS_MAX = 40_000
/** Units kept of the end of a message: the reason often follows a long quotation. */
const MESSAGE_END_UNITS = 10_000
const ELLIPSIS = '…'

/** Returns the message, with its middle cut out if it is longer than `MESSAGE_UNITS_MAX`. */
export function abridged(message: string): string {
  if (message.length <= MESSAGE_UNITS_MAX) return message
  const begin = boundary(message, MESSAGE_UNITS_MAX - MESSAGE_END_UNITS - ELLIPSIS.length)
  const end = boundary(message, message.length - MESSAGE_END_UNITS)
  return message.slice(0, begin) + ELLIPSIS + message.slice(end)
}

/** Returns `at`, or the next position if `at` would split a surrogate pair. */
export const boundary = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}

export type StorageCode =
  | 'no_space'
  | 'too_many_open_files'
  | 'permission'
  | 'missing'
  | 'locked'
  | 'exists'
  | 'short_file'
  | 'corrupt'
  | 'version'
  | 'io'

/** An error of the file system or of a file. `path` is relative to the database where possible. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  constructor(
    readonly code: StorageCode,
    readonly path: string,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options)
  }
}

/** An error as plain data, for other threads and for logs: a clone does not keep the class. */
export type WireError = {
  readonly family: 'fault' | 'storage' | 'ours' | 'vector'
  readonly code: string
  readonly message: string
  readonly path: string
}

/** Encodes an error for another thread or for a log. */
export function toWire(error: unknown): WireError {
  if (error instanceof EngineFault) {
    return { family: 'fault', code: error.code, message: error.message, path: '' }
  }
  if (error instanceof StorageError) {
    return { family: 'storage', code: error.code, message: error.message, path: error.path }
  }
  if (error instanceof CorruptionError || error instanceof VersionError) {
    const code = error instanceof CorruptionError ? 'corrupt' : 'version'
    return { family: 'storage', code, message: `A file is damaged: ${error.message}`, path: '' }
  }
  if (error instanceof VectorNeeded) {
    const { query, embedder, cutoffMs, isOptional } = error
    const message = JSON.stringify([query, embedder, cutoffMs, isOptional])
    return { family: 'vector', code: '', message, path: '' }
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { family: 'ours', code: 'internal', message: text, path: '' }
}

/** Decodes an error into its original class. */
export function fromWire({ family, code, message, path }: WireError): Error {
  switch (family) {
    case 'fault':
      return new EngineFault(code as FaultCode, message)
    case 'storage':
      return new StorageError(code as StorageCode, path, message)
    case 'vector': {
      const [query, embedder, cutoffMs, isOptional] = JSON.parse(message) as [
        number,
        unknown,
        number,
        boolean,
      ]
      return new VectorNeeded(query, embedder, cutoffMs, isOptional)
    }
    case 'ours':
      return new Error(message)
  }
}
