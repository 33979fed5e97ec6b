// Failures that the engine reports to its callers and that tasks end with. An EngineFault is caused
// by the client: it carries a code of the public catalogue and a complete sentence; the server
// knows its HTTP status, the engine does not. A StorageError is caused by the file system or a
// damaged file.

/** The catalogue codes that the engine itself raises; `server/errors` holds the whole catalogue. */
export type FaultCode =
  | 'another_publisher'
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
  | 'import_task_already_received'
  | 'import_task_unknown_remote'
  | 'import_task_without_network_task'
  | 'index_already_exists'
  | 'index_not_downloaded'
  | 'index_not_found'
  | 'index_primary_key_already_exists'
  | 'index_primary_key_multiple_candidates_found'
  | 'index_primary_key_no_candidate_found'
  | 'internal'
  | 'invalid_api_key'
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
  | 'invalid_network_remotes'
  | 'invalid_network_self'
  | 'invalid_network_shards'
  | 'invalid_network_url'
  | 'invalid_s_3_snapshot_parameters'
  | 'invalid_s_3_snapshot_request'
  | 'invalid_search_attributes_to_search_on'
  | 'invalid_search_distinct'
  | 'invalid_search_embedder'
  | 'invalid_search_facets'
  | 'invalid_search_filter'
  | 'invalid_search_media_and_vector'
  | 'invalid_search_q'
  | 'invalid_search_search_after'
  | 'invalid_search_boosts'
  | 'invalid_search_hits_per_group'
  | 'invalid_search_sort'
  | 'invalid_settings_boosts'
  | 'invalid_settings_dictionary'
  | 'invalid_settings_embedders'
  | 'invalid_settings_localized_attributes'
  | 'invalid_settings_non_separator_tokens'
  | 'invalid_settings_ranking_rules'
  | 'invalid_settings_separator_tokens'
  | 'invalid_settings_stop_words'
  | 'invalid_settings_synonyms'
  | 'invalid_settings_typo_tolerance'
  | 'invalid_similar_embedder'
  | 'invalid_similar_filter'
  | 'invalid_suggest_attributes'
  | 'invalid_suggest_filter'
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
  | 'read_only_database'
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
  | 'search_cursor_expired'
  | 'too_many_search_requests'
  | 'vector_embedding_error'
  | 'webhook_not_found'
  | 'write_not_published'
  | 'writer_lease_lapsed'

/** The part of a fault that code decides by, beside its code. */
export type FaultDetail =
  /** It is about one of the answers to be merged. `lacksScores`: hits came without sort keys. */
  | { readonly kind: 'answer'; readonly at: number; readonly lacksScores: boolean }
  /** A time limit ended the work: another instance may be faster. */
  | { readonly kind: 'timeUp' }

/** An error caused by a client, or the error that a task failed with. Clients read `message`. */
export class EngineFault extends Error {
  override readonly name = 'EngineFault'
  constructor(
    readonly code: FaultCode,
    message: string,
    readonly detail: FaultDetail | null = null,
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
  | 'too_large'
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
