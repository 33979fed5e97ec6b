// Experimental features: their names, and which of them are on.

export const FEATURES = [
  'metrics',
  'logsRoute',
  'tasksStreamingRoute',
  'editDocumentsByFunction',
  'containsFilter',
  'dynamicSearchRules',
  'network',
  'getTaskDocumentsRoute',
  'taskQueueCompactionRoute',
  'compositeEmbedders',
  'chatCompletions',
  'multimodal',
  'foreignKeys',
  'disableDocumentsFetchQueue',
  'legacySearch',
  'renderRoute',
  'mcpRoute',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = { readonly [feature in Feature]: boolean }

/** Features to switch; null and absence leave one as it is. */
export type FeaturesPatch = { readonly [feature in Feature]?: boolean | null }
