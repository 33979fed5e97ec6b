// What `tidy.ts` holds true, as data: the layers, which folder may import which, which fuzz target
// and golden folder stand for which format, and how many files lie in a folder.

/** Bottom first. A layer imports from the layers named here and from itself. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  format: [],
  engine: ['format'],
  server: ['format', 'engine'],
  tools: ['format', 'engine', 'server'],
  scripts: ['format', 'engine', 'server', 'tools'],
  fixtures: ['format', 'engine', 'server'],
  fuzz: ['format', 'engine', 'server', 'fixtures'],
}

/**
 * Layer → the one file through which the layers above it, those named, enter it. Tests may look
 * anywhere; `scripts` measures and tests single parts.
 */
export const DOORS: Readonly<Record<string, { file: string; layers: readonly string[] }>> = {
  engine: { file: 'engine/index.ts', layers: ['server', 'tools'] },
}

/** Files that may lie directly in a layer, at most. */
export const LOOSE_FILES_MAX: Readonly<Record<string, number>> = { engine: 5 }

/** Layers in which one folder is entered by another only through its `index.ts`. */
export const LAYERS_WITH_DOORS: readonly string[] = ['format', 'engine', 'server', 'tools']

/** Layers whose folders stand in rooms: one level more than elsewhere. */
export const LAYERS_OF_ROOMS: readonly string[] = ['engine']

/**
 * Folder → the folders, or whole rooms, of its own layer that it may import. Files directly in a layer (errors,
 * limits, the engine's entry points) are importable by all its folders when they are listed in
 * `SHARED_FILES`.
 */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'format/annotate': [],
  'format/bytes': [],
  'format/bodies': ['annotate', 'bytes'],
  'format/idset': ['annotate', 'bytes'],
  'format/json': ['bytes'],
  'format/frame': ['annotate', 'bytes'],
  'format/log': ['annotate', 'bytes', 'frame'],
  'format/kernel': [],
  'format/fst': ['annotate', 'bytes', 'frame', 'kernel'],
  'format/tombstones': ['annotate', 'bytes', 'idset'],
  'format/tasks': ['annotate', 'bytes', 'idset'],
  'format/keys': ['bytes', 'annotate'],
  'format/schema': [],
  'format/manifest': ['annotate', 'bytes', 'idset', 'tombstones'],
  'format/postings': ['annotate', 'bytes', 'frame', 'fst', 'idset', 'kernel'],
  'format/columns': ['annotate', 'bytes', 'frame', 'fst', 'idset'],
  'format/vectors': ['annotate', 'bytes', 'frame', 'idset', 'json', 'kernel'],
  'format/documents': ['annotate', 'bytes', 'frame', 'idset', 'json'],

  'engine/admin/keys': ['store'],
  'engine/admin/webhooks': ['store'],
  'engine/ai/chats': ['store'],
  'engine/ai/embedding': ['ai/providers', 'ai/template', 'settings'],
  'engine/ai/models': ['ai/providers', 'store', 'threads'],
  'engine/ai/providers': ['settings'],
  'engine/ai/template': ['settings', 'threads'],
  'engine/backup/archive': ['store'],
  'engine/backup/dumps': [
    'admin',
    'ai',
    'backup/archive',
    'network',
    'read',
    'settings',
    'store',
    'write',
  ],
  'engine/backup/export': ['settings', 'threads'],
  'engine/backup/objstore': ['backup/archive', 'backup/snapshot', 'store', 'threads'],
  'engine/backup/snapshot': ['backup/archive', 'store', 'threads'],
  'engine/follow': ['backup', 'store', 'task-kinds', 'write'],
  'engine/imports': [
    'admin',
    'ai',
    'backup',
    'network',
    'read',
    'settings',
    'store',
    'task-kinds',
    'threads',
    'write',
  ],
  'engine/model': [],
  'engine/natives': [],
  'engine/network': ['store'],
  'engine/ports': [
    'admin',
    'ai',
    'backup',
    'network',
    'publish',
    'read',
    'settings',
    'store',
    'task-kinds',
    'threads',
    'write',
  ],
  'engine/publish': ['backup', 'store', 'task-kinds', 'write'],
  'engine/read/facets': ['read/filter'],
  'engine/read/filter': ['settings', 'text'],
  'engine/read/present': ['read/query', 'read/rank', 'settings', 'text'],
  'engine/read/queries': ['read/search', 'settings', 'store'],
  'engine/read/query': ['read/segments', 'settings', 'text'],
  'engine/read/rank': ['read/query', 'read/segments', 'settings'],
  'engine/read/rules': ['store'],
  'engine/read/search': [
    'read/facets',
    'read/filter',
    'read/present',
    'read/query',
    'read/rank',
    'read/rules',
    'read/segments',
    'settings',
    'store',
    'text',
    'threads',
  ],
  'engine/read/segments': ['read/filter', 'store'],
  'engine/settings': ['text'],
  'engine/store/catalog': ['store/layers', 'store/storage'],
  'engine/store/layers': ['settings', 'store/storage', 'text'],
  'engine/store/storage': ['natives'],
  'engine/store/values': ['store/catalog'],
  'engine/store/views': ['store/catalog'],
  'engine/task-kinds': [
    'admin',
    'ai',
    'backup',
    'network',
    'read',
    'settings',
    'store',
    'text',
    'write',
  ],
  'engine/text': [],
  'engine/threads': ['natives'],
  'engine/write/batches': ['store', 'write/indexer', 'write/tasks'],
  'engine/write/bodies': ['store', 'write/indexer', 'write/intake', 'write/tasks'],
  'engine/write/indexer': [
    'ai/embedding',
    'ai/template',
    'read',
    'settings',
    'store',
    'text',
    'threads',
    'write/intake',
    'write/script',
    'write/tiers',
  ],
  'engine/write/intake': ['store'],
  'engine/write/merging': ['store', 'write/indexer', 'write/tiers'],
  'engine/write/script': [],
  'engine/write/tasks': ['settings'],
  'engine/write/tiers': [],

  'server/errors': [],
  'server/config': ['parse'],
  'server/log': [],
  'server/metrics': [],
  'server/outbound': ['config'],
  'server/network': ['errors', 'http', 'parse'],
  'server/webhooks': [],
  'server/page': [],
  'server/preview': ['http'],
  'server/embed': ['bodies', 'config', 'errors', 'http', 'log', 'metrics', 'network', 'routes'],
  'server/parse': ['errors'],
  'server/bodies': ['errors', 'http', 'parse', 'unpack'],
  'server/unpack': ['errors'],
  'server/http': ['errors', 'parse', 'unpack'],
  'server/auth': ['errors', 'http'],
  'server/openapi': ['bodies', 'config', 'http', 'parse', 'routes'],
  'server/chat': ['errors', 'parse'],
  'server/hits': [],
  'server/personalize': ['errors', 'hits'],
  'server/routes': [
    'bodies',
    'chat',
    'errors',
    'hits',
    'http',
    'log',
    'metrics',
    'network',
    'parse',
    'personalize',
  ],

  'tools/terminal': [],
  'tools/inspect': ['terminal'],
  'tools/check': ['inspect', 'terminal'],
  'tools/doctor': ['terminal'],
  'tools/dump': ['terminal'],
  'tools/explain': ['inspect', 'terminal'],
  'tools/manual': ['terminal'],
  'tools/tasks': ['inspect', 'terminal'],
  'tools/indexes': ['inspect', 'terminal'],
  'tools/database': ['check', 'inspect', 'terminal'],
  'tools/snapshot': ['check', 'terminal'],
  'tools/remote': ['terminal'],
  'tools/network': ['remote', 'terminal'],

  'scripts/installs': ['newcomer'],
}

/**
 * Files directly in a layer that its folders may import; all others there join the folders
 * together.
 */
export const SHARED_FILES: readonly string[] = [
  'format/errors.ts',
  'format/ids.ts',
  'format/limits.ts',
  // Loads the parts that search and index in place, for tests and tools.
  'engine/without-threads.ts',
  'server/limits.ts',
  'tools/test-support.ts',
  'scripts/command-line.ts',
]

/** Folders of plain types that every folder of their layer may import. */
export const SHARED_FOLDERS: readonly string[] = ['engine/model']

/** Names a folder or a file must not have: they say nothing about the subject. */
export const EMPTY_NAMES: readonly string[] = [
  'utils',
  'util',
  'helpers',
  'helper',
  'common',
  'misc',
]

/**
 * Format folder → its golden folder in `fixtures/format` and its fuzz target, where they differ
 * from its name.
 */
export const FORMATS: Readonly<Record<string, { golden: string; fuzz: string }>> = {}

/** Production files that may lie directly in a folder, tables apart. */
export const FILES_MAX = 25

/** Folders that still hold more: a number may only fall. */
export const FILES_MAX_OF: Readonly<Record<string, number>> = {
  'engine/read/facets': 26,
  'engine/read/filter': 32,
  'engine/read/search': 69,
  'engine/read/segments': 29,
  'engine/settings': 51,
  'engine/task-kinds': 42,
  'engine/write/indexer': 34,
  'engine/write/script': 28,
  'engine/write/tasks': 46,
  'format/columns': 30,
  fuzz: 47,
  'server/http': 31,
  'server/network': 54,
  'server/page': 45,
  'server/parse': 41,
  'server/routes': 36,
}
