// The meaning of each error code and its remedy, as the texts of docs/errors.md. The text of a code
// that this release never sends says so.
import { type ErrorCode, SETTING_ADVICE, type TableCode } from './catalogue.ts'

const UNUSED = 'This release does not send this code. It exists for older clients and stored tasks.'

const page = (what: string, member: 'limit' | 'offset'): string =>
  member === 'limit'
    ? `\`limit\` of ${what}: send a whole number from 0; the default is 20.`
    : `\`offset\` of ${what}: send a whole number from 0.`

const fixed = (what: string, member: string, changeable: string): string =>
  `\`${member}\` of ${what} never changes: leave it out. ${changeable} can be changed.`

const fixedOfKey = (member: string): string =>
  fixed('a key', member, 'Only `name` and `description`')

const moment = (member: string): string =>
  `\`${member}\` of a filter: send \`YYYY-MM-DD\`, a full RFC 3339 date and time, or \`*\`.`

const yesOrNo = (what: string, member: string): string =>
  `\`${member}\` of ${what}: send \`true\` or \`false\`.`

const words = (what: string, member: string): string =>
  `\`${member}\` of ${what}: send a string, or \`null\` for none.`

const names = (what: string, member: string): string =>
  `\`${member}\` of ${what}: send an array of attribute names.`

const ofFields = (member: string): string => yesOrNo('the filter of a field list', member)

const ofChat = (member: string): string => words('the settings of a chat', member)

const notWithFederation = (what: string): string =>
  `${what} is not allowed in a single query of a federated search: move it to \`federation\`, or ` +
  'remove `federation`.'

const OF_TABLE: { readonly [C in TableCode]: string } = {
  another_publisher:
    'Another instance publishes to the same prefix and folder name in the object store: see ' +
    '`--objstore-publish-replaces` and [followers](followers.md#one-publisher).',
  answer_too_large:
    'The answer would be too large, or take too long to write: request smaller pages.',
  api_key_already_exists: 'A key with this `uid` exists: choose another `uid`, or send none.',
  api_key_not_found: 'No key has this uid or value: list the keys with `GET /keys`.',
  bad_parameter: UNUSED,
  bad_request:
    'The request has a fault that has no separate code, such as an unknown or a ' +
    'missing member; the message names the fault.',
  batch_not_found:
    'No batch has this number, or the key may not see it: list batches with `GET /batches`.',
  chat_not_found: 'No workspace has this name: create a workspace by changing its settings.',
  database_size_limit_reached:
    'The index cannot grow any more: delete documents or split it. For API keys: delete some.',
  document_not_found: 'No document has this id: ids are compared as text, and case matters.',
  dump_already_processing: UNUSED,
  dump_not_found: UNUSED,
  dump_process_failed:
    'The dump could not be written: see the message, the space on the disk and the rights on the ' +
    'folder of dumps.',
  duplicate_index_found: UNUSED,
  dynamic_search_rule_not_found: 'No rule has this uid: list the rules first.',
  edit_documents_by_function_error:
    'The function failed on a document, and nothing was changed: the message gives the position.',
  facet_search_disabled:
    'The setting `facetSearch` of the index is off: switch it on and wait for the task.',
  feature_not_enabled:
    'The request needs an experimental feature, which the message names: switch it on with ' +
    '`PATCH /experimental-features`.',
  immutable_api_key_actions: fixedOfKey('actions'),
  immutable_api_key_created_at: fixedOfKey('createdAt'),
  immutable_api_key_expires_at: fixedOfKey('expiresAt'),
  immutable_api_key_indexes: fixedOfKey('indexes'),
  immutable_api_key_key: fixedOfKey('key'),
  immutable_api_key_uid: fixedOfKey('uid'),
  immutable_api_key_updated_at: fixedOfKey('updatedAt'),
  immutable_index_created_at: fixed('an index', 'createdAt', '`uid` and `primaryKey`'),
  immutable_index_updated_at: fixed('an index', 'updatedAt', '`uid` and `primaryKey`'),
  immutable_webhook: 'This webhook comes from a launch option: change the option and restart.',
  immutable_webhook_is_editable: fixed('a webhook', 'isEditable', '`url` and `headers`'),
  immutable_webhook_uuid: fixed('a webhook', 'uuid', '`url` and `headers`'),
  import_task_already_received:
    'Another instance sent the same moved documents twice: you need not do anything.',
  import_task_unknown_remote:
    'An instance that is not part of this network sent documents: compare the networks of both instances.',
  import_task_without_network_task:
    'Moved documents arrived before the change of the network: the sender tries again.',
  inconsistent_document_change_headers:
    'The headers of a request between instances contradict each other: all instances ' +
    'must run the same release.',
  index_already_exists: 'An index has this name: choose another name, or delete the index first.',
  index_creation_failed: 'The index could not be created: see the log of the server.',
  index_not_downloaded:
    'This instance is a follower and still downloads the index: try again after `Retry-After` ' +
    'seconds, or use another instance. See `--follow-download`.',
  index_not_found:
    'No index has this name: the name is misspelt, or the index is deleted or not yet created.',
  index_primary_key_already_exists:
    'The index has a primary key and documents: the key can only be changed while there are no documents.',
  index_primary_key_multiple_candidates_found:
    'Several attributes of the first document end in `id`: name the key in `primaryKey`.',
  index_primary_key_no_candidate_found:
    'No attribute of the first document ends in `id`: name the key in `primaryKey`.',
  index_scoped_api_key_with_global_action:
    'The action affects the whole instance: remove it, or give the key all indexes.',
  internal:
    'A defect of the server: the request is not at fault. See the log, and please ' + 'report it.',
  invalid_api_key: 'The key is unknown, has expired, or does not allow this: use another one.',
  invalid_api_key_actions: '`actions` of a key: send an array of the names of actions.',
  invalid_api_key_description: words('a key', 'description'),
  invalid_api_key_expires_at:
    '`expiresAt` of a key: send a date in the future, or `null` for a key that never expires.',
  invalid_api_key_indexes:
    '`indexes` of a key: send an array of names, each optionally ending in `*`.',
  invalid_api_key_limit: page('a list of keys', 'limit'),
  invalid_api_key_name: words('a key', 'name'),
  invalid_api_key_offset: page('a list of keys', 'offset'),
  invalid_api_key_uid: '`uid` of a key: send a UUID, or leave it out.',
  invalid_batch_uids: 'Numbers of batches: send whole numbers, separated by commas.',
  invalid_chat_completion_api_key: ofChat('apiKey'),
  invalid_chat_completion_api_version: ofChat('apiVersion'),
  invalid_chat_completion_base_api: ofChat('baseUrl'),
  invalid_chat_completion_deployment_id: ofChat('deploymentId'),
  invalid_chat_completion_org_id: ofChat('orgId'),
  invalid_chat_completion_pre_query_prompt: UNUSED,
  invalid_chat_completion_project_id: ofChat('projectId'),
  invalid_chat_completion_prompts: UNUSED,
  invalid_chat_completion_search_description_prompt: ofChat('prompts.searchDescription'),
  invalid_chat_completion_search_filter_param_prompt: ofChat('prompts.searchFilterParam'),
  invalid_chat_completion_search_index_uid_param_prompt: ofChat('prompts.searchIndexUidParam'),
  invalid_chat_completion_search_query_param_prompt: ofChat('prompts.searchQParam'),
  invalid_chat_completion_source: UNUSED,
  invalid_chat_completion_system_prompt: ofChat('prompts.system'),
  invalid_chat_setting_document_template:
    '`documentTemplate` of the setting `chat`: the message gives the fault of the template.',
  invalid_content_type:
    'The route does not accept the type of the body, or the type does not fit the query: the ' +
    'message lists the accepted types.',
  invalid_document_csv_delimiter: '`csvDelimiter`: send one ASCII character, with a CSV body.',
  invalid_document_edition_context: '`context` of an edition: send an object.',
  invalid_document_edition_function_filter: '`function` of an edition: send a string.',
  invalid_document_fields: names('a document request', 'fields'),
  invalid_document_filter:
    'The filter is malformed or empty, or names an attribute that is not filterable: the ' +
    'message shows the position.',
  invalid_document_geo_field:
    'The `_geo` of a document: send `null`, or an object with `lat` and `lng` alone, both finite numbers.',
  invalid_document_geojson_field: 'The `_geojson` of a document: send a GeoJSON object.',
  invalid_document_id:
    'An id of a document: an integer, or up to 511 letters, digits, hyphens and underscores.',
  invalid_document_ids:
    '`ids`: send an array of integers and strings that are valid ids of documents.',
  invalid_document_limit: page('a document list', 'limit'),
  invalid_document_offset: page('a document list', 'offset'),
  invalid_document_retrieve_vectors: yesOrNo('a document request', 'retrieveVectors'),
  invalid_document_sort:
    '`sort` of a document list: send expressions such as `price:asc`, of sortable attributes.',
  invalid_document_use_network:
    '`useNetwork` of a document list: only `documents/fetch` takes it, `true` or `false` in the body.',
  invalid_dynamic_search_rule_actions:
    '`actions` of a rule: send an object with the lists `pin` and `scale`.',
  invalid_dynamic_search_rule_active: yesOrNo('a rule', 'active'),
  invalid_dynamic_search_rule_conditions:
    '`conditions` of a rule: send an object of `time`, `query` and `filter`.',
  invalid_dynamic_search_rule_description: words('a rule', 'description'),
  invalid_dynamic_search_rule_filter:
    '`filter` of a rule list: send an object of `query` and `active`.',
  invalid_dynamic_search_rule_filter_active: yesOrNo('the filter of a rule list', 'active'),
  invalid_dynamic_search_rule_filter_query: words('the filter of a rule list', 'query'),
  invalid_dynamic_search_rule_limit: page('a rule list', 'limit'),
  invalid_dynamic_search_rule_offset: page('a rule list', 'offset'),
  invalid_dynamic_search_rule_priority: '`precedence` of a rule: send a whole number from 0.',
  invalid_dynamic_search_rule_uid:
    'The uid of a rule has only letters, digits, `-` and `_`, and at most 400 of them.',
  invalid_export_api_key: words('an export', 'apiKey'),
  invalid_export_index_filter: '`filter` of an exported index: the message shows the position.',
  invalid_export_index_override_settings: yesOrNo('an exported index', 'overrideSettings'),
  invalid_export_indexes_patterns: UNUSED,
  invalid_export_payload_size:
    '`payloadSize` of an export: send a number of bytes, or text such as `24 MiB`.',
  invalid_export_url: '`url` of an export: send the address of the other instance, as a string.',
  invalid_facet_search_exhaustive_facet_count: yesOrNo('a facet search', 'exhaustiveFacetCount'),
  invalid_facet_search_facet_name:
    '`facetName`: send the name of an attribute whose values can be searched; ' +
    '`filterableAttributes` decides.',
  invalid_facet_search_name: UNUSED,
  invalid_facet_search_query: words('a facet search', 'facetQuery'),
  invalid_header_value: 'A header of the request is invalid: the message names it.',
  invalid_index_custom_metadata: '`customMetadata`: send text.',
  invalid_index_fields_filter: '`filter` of a field list: send an object; the message lists names.',
  invalid_index_fields_filter_attribute_patterns:
    '`filter.attributePatterns` of a field list: send an array of names, with a `*` at either end.',
  invalid_index_fields_filter_displayed: ofFields('displayed'),
  invalid_index_fields_filter_distinct: ofFields('distinct'),
  invalid_index_fields_filter_filterable: ofFields('filterable'),
  invalid_index_fields_filter_ranking_rule: ofFields('rankingRule'),
  invalid_index_fields_filter_searchable: ofFields('searchable'),
  invalid_index_fields_filter_sortable: ofFields('sortable'),
  invalid_index_limit: page('an index list', 'limit'),
  invalid_index_offset: page('an index list', 'offset'),
  invalid_index_primary_key: words('an index', 'primaryKey'),
  invalid_index_uid:
    'The name of an index: up to 400 ASCII letters, digits, hyphens and underscores.',
  invalid_min_task_timeout:
    '`minTaskTimeout` of a read: send milliseconds, a whole number from 0 to 60000.',
  invalid_min_task_uid:
    '`minTaskUid` of a read: send the uid of a task, a whole number from 0 to 4294967294.',
  invalid_multi_search_distinct: notWithFederation('`distinct`'),
  invalid_multi_search_facet_order:
    'Indexes sort the values of this facet differently: use the same settings, or remove ' +
    '`mergeFacets`.',
  invalid_multi_search_facets: notWithFederation('`facets`'),
  invalid_multi_search_facets_by_index:
    '`federation.facetsByIndex`: send an object that maps names of indexes to arrays of facets.',
  invalid_multi_search_federated: '`federation`: send an object, `{}` for the defaults.',
  invalid_multi_search_federation_options:
    '`federationOptions` of a query: send an object, and only together with `federation`.',
  invalid_multi_search_max_values_per_facet:
    '`mergeFacets.maxValuesPerFacet`: send a whole number from 0.',
  invalid_multi_search_merge_facets: '`federation.mergeFacets`: send an object.',
  invalid_multi_search_query_facets: notWithFederation('`facets`'),
  invalid_multi_search_query_pagination: notWithFederation('Paging'),
  invalid_multi_search_query_personalization: notWithFederation('`personalize`'),
  invalid_multi_search_query_position:
    '`federationOptions.queryPosition`: send a whole number from 0.',
  invalid_multi_search_query_ranking_rules:
    'Queries of one federated search have ranking rules that cannot be compared: use the same settings ' +
    'for their indexes.',
  invalid_multi_search_query_show_performance_details: notWithFederation(
    '`showPerformanceDetails`',
  ),
  invalid_multi_search_remote: '`federationOptions.remote`: send the name of an instance.',
  invalid_multi_search_weight: '`federationOptions.weight`: send a number from 0.',
  invalid_network_leader: '`leader` of the network: send the name of an instance, or `null`.',
  invalid_network_remotes:
    '`remotes` of the network: send an object that maps names to instances; the message shows the position.',
  invalid_network_search_api_key: words('an instance', 'searchApiKey'),
  invalid_network_self: '`self` of the network: send the name of this instance, or `null`.',
  invalid_network_shards:
    '`shards` of the network: send an object that maps names to `{"remotes": […]}`; with a leader, ' +
    'at least one shard needs an owner.',
  invalid_network_url: '`url` of an instance: send an absolute address.',
  invalid_network_write_api_key: words('an instance', 'writeApiKey'),
  invalid_render_input: '`input` of a rendering: the message names the members of its kind.',
  invalid_render_template: '`template` of a rendering: the message names the members of its kind.',
  invalid_s_3_snapshot_parameters:
    'The options of the object store do not form a valid URL: check them.',
  invalid_s_3_snapshot_request: 'The object store refused the snapshot: see its answer.',
  invalid_search_attributes_to_crop: names('a search', 'attributesToCrop'),
  invalid_search_attributes_to_highlight: names('a search', 'attributesToHighlight'),
  invalid_search_attributes_to_retrieve: names('a search', 'attributesToRetrieve'),
  invalid_search_attributes_to_search_on:
    '`attributesToSearchOn`: send an array of attributes that are searchable.',
  invalid_search_attribute_weights:
    '`attributeWeights` of a search: send an object of attributes, or `*`, and their weights.',
  invalid_search_count_total: yesOrNo('a search', 'countTotal'),
  invalid_search_crop_length: '`cropLength` of a search: send a whole number of words from 0.',
  invalid_search_crop_marker: '`cropMarker` of a search: send a string.',
  invalid_search_distinct: '`distinct` of a search: send the name of a filterable attribute.',
  invalid_search_embedder: 'No embedder of the index has this name: see its setting `embedders`.',
  invalid_search_facets:
    '`facets` or `disjunctiveFacets` of a search: send an array of filterable attributes, or ' +
    'patterns of them; `facets` takes objects too, and the message shows the position.',
  invalid_search_filter:
    'The filter is malformed, or names an attribute or an operator that is not allowed: the ' +
    'message shows the position.',
  invalid_search_highlight_post_tag: '`highlightPostTag` of a search: send a string.',
  invalid_search_highlight_pre_tag: '`highlightPreTag` of a search: send a string.',
  invalid_search_hits_per_page: '`hitsPerPage` of a search: send a whole number from 0.',
  invalid_search_hybrid_query:
    '`hybrid` of a search: send an object with an `embedder`; `fusion` is `score` or `rrf`.',
  invalid_search_limit: page('a search', 'limit'),
  invalid_search_locales: '`locales` of a search: send an array of ISO 639 codes.',
  invalid_search_matching_strategy:
    '`matchingStrategy` of a search: send `last`, `all`, `frequency` or `any`.',
  invalid_search_media:
    '`media` of a search: send the members that a fragment of the embedder uses.',
  invalid_search_media_and_vector: 'Send `media` or `vector`, not both.',
  invalid_search_offset: page('a search', 'offset'),
  invalid_search_page: '`page` of a search: send a whole number from 1.',
  invalid_search_personalize: '`personalize` of a search: send an object with a `userContext`.',
  invalid_search_personalize_user_context: '`personalize.userContext`: send a string.',
  invalid_search_q:
    '`q` of a search: send a string, or `null`; with `querySyntax` `boolean`, the message has the place of the fault.',
  invalid_search_query_syntax: '`querySyntax` of a search: send `plain` or `boolean`.',
  invalid_search_ranking_score_threshold:
    '`rankingScoreThreshold` of a search: send a number from 0 to 1.',
  invalid_search_retrieve_vectors: yesOrNo('a search', 'retrieveVectors'),
  invalid_search_boosts:
    '`boosts` of a search: the message names the wrong boost. Fields of boosts must be ' +
    'filterable or sortable. `boostsNow` must be milliseconds since 1970.',
  invalid_search_hits_per_group:
    '`hitsPerGroup` of a search: a whole number from 1 to 100, in a search of one index with ' +
    '`distinct`.',
  invalid_search_search_after:
    '`searchAfter` of a search: send the `cursor` of an answer to the same search, or an empty ' +
    'string for the first page, without `offset`, `page` and `hitsPerPage`.',
  invalid_search_semantic_ratio: '`semanticRatio` of a search: send a number from 0 to 1.',
  invalid_search_show_correction: yesOrNo('a search', 'showCorrection'),
  invalid_search_show_matches_position: yesOrNo('a search', 'showMatchesPosition'),
  invalid_search_show_performance_details: yesOrNo('a search', 'showPerformanceDetails'),
  invalid_search_show_ranking_score: yesOrNo('a search', 'showRankingScore'),
  invalid_search_show_ranking_score_details: yesOrNo('a search', 'showRankingScoreDetails'),
  invalid_search_sort:
    '`sort` of a search: send expressions such as `price:asc`, of sortable attributes, while ' +
    '`sort` is among the ranking rules.',
  invalid_search_use_network: yesOrNo('a search', 'useNetwork'),
  invalid_search_vector: '`vector` of a search: send an array of numbers.',
  invalid_similar_attributes_to_retrieve: names('a similar search', 'attributesToRetrieve'),
  invalid_similar_embedder: '`embedder` of a similar search: send the name of an embedder.',
  invalid_similar_filter:
    'The filter is malformed, or names an attribute that is not filterable: the message shows ' +
    'the position.',
  invalid_similar_id: '`id` of a similar search: send the id of a document.',
  invalid_similar_limit:
    '`limit` of a similar search: send a whole number from 0 to 100,000,000; the default is 20.',
  invalid_similar_offset:
    '`offset` of a similar search: send a whole number from 0 to 100,000,000.',
  invalid_similar_ranking_score_threshold:
    '`rankingScoreThreshold` of a similar search: send a number from 0 to 1.',
  invalid_similar_retrieve_vectors: yesOrNo('a similar search', 'retrieveVectors'),
  invalid_similar_show_performance_details: yesOrNo('a similar search', 'showPerformanceDetails'),
  invalid_similar_show_ranking_score: yesOrNo('a similar search', 'showRankingScore'),
  invalid_similar_show_ranking_score_details: yesOrNo(
    'a similar search',
    'showRankingScoreDetails',
  ),
  invalid_skip_creation: '`skipCreation`: send `true` or `false`.',
  invalid_state: UNUSED,
  invalid_stats_show_internal_database_sizes: yesOrNo('statistics', 'showInternalDatabaseSizes'),
  invalid_stats_size_format: '`sizeFormat` of statistics: send `raw` or `human`.',
  invalid_store_file:
    'A file of the database is damaged: restore it from a snapshot or a dump, and check the ' +
    'disk.',
  invalid_suggest_attributes:
    '`attributes` of a request for suggestions: send an array of searchable attributes.',
  invalid_suggest_filter:
    'The filter is malformed, or names an attribute that is not filterable: the message shows ' +
    'the position.',
  invalid_suggest_highlight_post_tag: words('a request for suggestions', 'highlightPostTag'),
  invalid_suggest_highlight_pre_tag: words('a request for suggestions', 'highlightPreTag'),
  invalid_suggest_limit:
    '`limit` of a request for suggestions: send a whole number from 0 to 50; the default is 5.',
  invalid_suggest_locales:
    '`locales` of a request for suggestions: send an array of ISO 639 codes.',
  invalid_suggest_q: words('a request for suggestions', 'q'),
  invalid_suggest_use_network:
    '`useNetwork` of a request for suggestions: leave it out, or send `false`; each instance ' +
    'suggests from its own documents.',
  invalid_swap_duplicate_index_found:
    'An index can only be swapped once per request: split the request.',
  invalid_swap_indexes: '`indexes` of a swap: send the names of two indexes.',
  invalid_swap_rename: yesOrNo('a swap', 'rename'),
  invalid_task_after_enqueued_at: moment('afterEnqueuedAt'),
  invalid_task_after_finished_at: moment('afterFinishedAt'),
  invalid_task_after_started_at: moment('afterStartedAt'),
  invalid_task_before_enqueued_at: moment('beforeEnqueuedAt'),
  invalid_task_before_finished_at: moment('beforeFinishedAt'),
  invalid_task_before_started_at: moment('beforeStartedAt'),
  invalid_task_canceled_by: '`canceledBy` of a filter: send numbers of tasks, separated by commas.',
  invalid_task_from: '`from` of a task list: send the number of the task to begin with.',
  invalid_task_limit: page('a task list', 'limit'),
  invalid_task_reverse: yesOrNo('a task list', 'reverse'),
  invalid_task_statuses:
    '`statuses` of a filter: send `enqueued`, `processing`, `succeeded`, `failed`, `canceled`, ' +
    'separated by commas.',
  invalid_task_types: '`types` of a filter: send types of tasks; the message lists them.',
  invalid_task_uids: 'Numbers of tasks: send whole numbers, separated by commas.',
  invalid_task_wait: '`wait` of a write: send `searchable`, or leave it out.',
  invalid_task_wait_timeout:
    '`timeout` of a write that waits: send milliseconds, a whole number from 0 to 60000.',
  invalid_vector_dimensions:
    'A vector has another number of dimensions than its embedder: the message gives that number.',
  invalid_vectors_type:
    'The `_vectors` of a document: send an object from embedders to vectors; the message shows ' +
    'the position.',
  invalid_webhook_headers: '`headers` of a webhook: send an object with at most 200 valid headers.',
  invalid_webhook_url: '`url` of a webhook: send an absolute address.',
  invalid_webhook_uuid: 'The path has no valid uuid: list the webhooks with `GET /webhooks`.',
  invalid_webhooks: 'There are already 20 webhooks, which is the limit: delete one first.',
  io_error: 'The disk could not be read or written: check its space, permissions and health.',
  malformed_payload:
    'The body is not valid JSON, NDJSON or CSV: the message gives line and column.',
  max_fields_limit_exceeded:
    'An index can have at most 65,535 attributes, nested ones included: send fewer names, for ' +
    'example by replacing a map by an array of pairs.',
  missing_api_key_actions: '`actions` of a new key is missing.',
  missing_api_key_expires_at:
    '`expiresAt` of a new key is missing: send `null` for a key that never expires.',
  missing_api_key_indexes: '`indexes` of a new key is missing: `["*"]` means all.',
  missing_authorization_header: 'Send a key: `Authorization: Bearer <key>`.',
  missing_content_type:
    'Send the type of the body in `Content-Type`: the message lists the accepted types.',
  missing_document_edition_function: '`function` of an edition is missing.',
  missing_document_filter: '`filter` is missing: it selects the documents to delete.',
  missing_document_id:
    'A document lacks the attribute that is the primary key: the message shows the document.',
  missing_facet_search_facet_name: '`facetName` is missing: name the attribute to search.',
  missing_index_uid: 'The name of the index is missing.',
  missing_master_key: 'Keys need a server with a master key: set one and restart.',
  missing_network_url: '`url` of a new instance of the network is missing.',
  missing_payload: 'The body is empty: send one.',
  missing_search_hybrid: '`vector` and `media` need `hybrid`, with an `embedder`.',
  missing_swap_indexes: '`indexes` of a swap is missing.',
  missing_task_filters: 'Add a filter that selects the tasks to cancel or delete.',
  network_leader_mismatch: 'A former leader of the network, or a copy of a member, sent a write.',
  network_protocol_mismatch:
    'Instances of the network run incompatible releases: run the same release on all.',
  network_version_mismatch:
    'An instance has another version of the network: wait until the change has reached it.',
  network_version_too_old:
    'The network has changed after this write was sent: send the write again.',
  no_space_left_on_device:
    'The disk or the task queue is full: free space, or delete finished tasks.',
  not_a_leader: 'Only the leader of the network accepts writes: send the write to the leader.',
  not_found_similar_id: 'No document has this id, or the key may not see it.',
  not_leader: 'Only the leader of the network accepts writes: send the write to the leader.',
  payload_too_large:
    'The body is larger than the server accepts: send smaller bodies, or raise ' +
    '`--http-payload-size-limit` or `--http-json-payload-size-limit`.',
  receive_import_finished_unknown_remote:
    'An instance that is not part of this network reports that it has imported its documents: ' +
    'compare the networks of both instances.',
  remote_bad_request: 'Another instance refused its part of a request: see the message.',
  remote_bad_response: 'Another instance sent an invalid answer: compare the releases.',
  remote_could_not_send_request:
    'Another instance cannot be reached: check its URL and `--experimental-allowed-ip-networks`.',
  remote_invalid_api_key: 'Another instance refused the key of this instance: set a valid key.',
  remote_remote_error: 'Another instance failed: see its log.',
  remote_timeout: 'Another instance did not answer in time: check its load.',
  render_document_not_found: 'No document has this id.',
  requires_enterprise_edition: UNUSED,
  read_only_database:
    'A program has opened this database with `readOnly`: to write, open it without this option.',
  read_only_follower: 'This instance is a follower: send writes to the instance that it follows.',
  route_not_found:
    'No route has this path: the path is misspelt or not complete. The API page lists all routes.',
  s_3_snapshot_server_error: 'The object store failed: try again later.',
  task_file_not_found: 'Only the documents of enqueued or running tasks can be shown.',
  task_not_found:
    'No task has this number, or it was deleted, or the key may not see it: list `GET /tasks`.',
  task_not_visible_yet:
    'The state that this instance serves does not contain the task of `minTaskUid` yet: try again ' +
    'after `Retry-After` seconds, raise `minTaskTimeout`, or check the task.',
  template_parsing_error: 'The template is malformed: the message shows the position.',
  template_rendering_error: 'The template uses a field that the document does not have.',
  too_many_answers:
    'Large answers, in preparation or not read by their clients, fill the memory reserved for ' +
    'them: try again after `Retry-After` seconds, or request fewer hits at a time.',
  too_many_open_files: 'The system allows no more open files: raise its limit for the server.',
  too_many_request_bodies:
    'Large bodies of other requests fill the memory reserved for them: try again after ' +
    '`Retry-After` seconds.',
  search_cursor_expired:
    'The index has changed since the answer with this cursor: begin again with the first page. A ' +
    'search that is ordered only by values can continue after changes.',
  too_many_search_requests:
    'Too many searches or templates wait (see `--experimental-search-queue-size`), or a long ' +
    'search was canceled because others waited: try again after `Retry-After` seconds.',
  too_many_streams:
    'Too many clients listen to `/tasks/stream` and `/batches/stream`: try again after ' +
    '`Retry-After` seconds, or read `GET /tasks` at intervals.',
  too_many_vectors: 'A document has more vectors for an embedder than the limit of 256.',
  unexpected_network_previous_remotes: '`previousRemotes` is set by the server: leave it out.',
  unimplemented_external_function_calling: 'Chats do not support functions of the client.',
  unimplemented_multi_choice_chat_completions: 'Chats return one answer: leave `n` out or send 1.',
  unimplemented_non_streaming_chat_completions:
    'This release does not send this code: it supports streams and single answers.',
  unknown_remote: 'The network has no instance of this name: see `GET /network`.',
  unprocessed_network_task:
    'A change of the network is running, or an instance gets its shards again: wait, and send this change later.',
  unretrievable_document: UNUSED,
  unretrievable_error_code: 'The error of an imported task had a code that is no longer known.',
  unsupported_media_type:
    'The body has a Content-Encoding that the server does not know: send it with `gzip`, `deflate`, ' +
    '`br`, or without one.',
  vector_embedding_error:
    'An embedder failed, or documents lack required vectors: see the message.',
  webhook_not_found: 'No webhook has this uuid: list the webhooks with `GET /webhooks`.',
  write_not_published:
    'The instance has stored the write and could not publish it in time: it may still be executed. ' +
    'Check it before you send it again. See `--objstore-publish sync`.',
  writer_lease_lapsed:
    'The instance does not hold the writer lease now, and nothing was done: try again after ' +
    '`Retry-After` seconds, or send writes to the instance that holds it.',
}

/** The advice for codes of settings comes from the settings. */
export const ADVICE: { readonly [C in ErrorCode]: string } = { ...OF_TABLE, ...SETTING_ADVICE }
