// What `tidy.ts` holds true, as data: the layers, which folder may import which, who owns the
// native packages, which fuzz target and golden folder stand for which format, and what is
// tolerated until mended.

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
export const LAYERS_OF_ROOMS: readonly string[] = ['engine', 'server']

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
  'engine/read/answers': [
    'read/facets',
    'read/filter',
    'read/jobs',
    'read/present',
    'read/query',
    'read/rank',
    'read/retrieval',
    'read/segments',
    'settings',
    'store',
    'text',
  ],
  'engine/read/facets': ['read/filter'],
  'engine/read/filter': ['settings', 'text'],
  'engine/read/jobs': [
    'read/facets',
    'read/filter',
    'read/query',
    'read/rules',
    'read/segments',
    'settings',
    'store',
  ],
  'engine/read/pool': [
    'read/answers',
    'read/facets',
    'read/jobs',
    'read/retrieval',
    'read/rules',
    'read/search',
    'read/segments',
    'settings',
    'store',
    'threads',
  ],
  'engine/read/present': ['read/query', 'read/rank', 'settings', 'text'],
  'engine/read/queries': [
    'read/answers',
    'read/jobs',
    'read/pool',
    'read/search',
    'settings',
    'store',
  ],
  'engine/read/query': ['read/segments', 'settings', 'text'],
  'engine/read/rank': ['read/query', 'read/segments', 'settings'],
  'engine/read/retrieval': [
    'read/facets',
    'read/filter',
    'read/jobs',
    'read/present',
    'read/query',
    'read/rank',
    'read/rules',
    'read/segments',
    'settings',
    'store',
    'text',
  ],
  'engine/read/rules': ['store'],
  'engine/read/search': [
    'read/answers',
    'read/facets',
    'read/filter',
    'read/jobs',
    'read/present',
    'read/query',
    'read/rank',
    'read/retrieval',
    'read/rules',
    'read/segments',
    'settings',
    'store',
    'text',
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

  'server/auth': ['errors', 'http'],
  'server/bodies': ['errors', 'http', 'parse', 'unpack'],
  'server/chat': ['errors', 'parse'],
  'server/config': ['parse'],
  'server/embed': ['bodies', 'config', 'errors', 'http', 'log', 'metrics', 'network', 'routes'],
  'server/errors': [],
  'server/hits': [],
  'server/http': ['errors', 'parse', 'unpack'],
  'server/log': [],
  'server/metrics': [],
  'server/network': [
    'errors',
    'http',
    'network/calls',
    'network/repair',
    'network/searches',
    'network/topology',
    'network/writes',
    'parse',
  ],
  'server/network/calls': ['errors', 'http'],
  'server/network/repair': ['errors', 'network/calls', 'parse'],
  'server/network/searches': ['errors', 'network/calls', 'parse'],
  'server/network/topology': [
    'errors',
    'network/calls',
    'network/repair',
    'network/searches',
    'network/writes',
    'parse',
  ],
  'server/network/writes': ['errors', 'http', 'network/calls', 'parse'],
  'server/openapi': ['bodies', 'config', 'http', 'parse', 'routes'],
  'server/outbound': ['config'],
  'server/page': [],
  'server/parse': ['errors'],
  'server/personalize': ['errors', 'hits'],
  'server/preview': ['http'],
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
  'server/unpack': ['errors'],
  'server/webhooks': [],

  'tools/check': ['inspect', 'terminal'],
  'tools/database': ['check', 'inspect', 'terminal'],
  'tools/doctor': ['terminal'],
  'tools/dump': ['terminal'],
  'tools/explain': ['inspect', 'terminal'],
  'tools/indexes': ['inspect', 'terminal'],
  'tools/inspect': ['terminal'],
  'tools/manual': ['terminal'],
  'tools/network': ['remote', 'terminal'],
  'tools/remote': ['terminal'],
  'tools/snapshot': ['check', 'terminal'],
  'tools/tasks': ['inspect', 'terminal'],
  'tools/terminal': [],

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

/** Package → the only files (a trailing slash: the only folder) that name it. */
export const NATIVE_PACKAGES: Readonly<Record<string, string>> = {
  'mmap-io': 'engine/store/storage/',
  'fs-ext': 'engine/store/storage/',
  'zstd-napi': 'engine/store/storage/',
  koffi: 'engine/natives/',
  '@koromix': 'engine/natives/',
  // Damaged bytes crash it: tests compare with it, nothing else loads it.
  roaring: 'fuzz/',
}

/** Node's modules that reach files or processes, and where they may be named, tests apart. */
export const FILE_MODULES: readonly string[] = ['node:fs', 'node:fs/promises', 'node:child_process']
export const FILE_MODULE_PLACES: readonly string[] = [
  'engine/store/storage/',
  // The number of a thread, as the system tells it.
  'engine/threads/priority.ts',
  // The memory of the process, as the system tells it.
  'engine/threads/memory-watch.ts',
  // Settings, certificates and messages; no data file.
  'server/config/',
  'server/http/tls.ts',
  'server/http/connection-limit.ts',
  'server/http/tls-files.ts',
  'server/log/',
  // The number of threads, as the system tells it.
  'server/metrics/',
  'server/preview/files.ts',
  // The program that tells systemd.
  'server/service-manager.ts',
  'tools/',
  'scripts/',
  'fuzz/',
  'fixtures/',
]

/** What calls other servers, and where it may be named, types and tests apart. */
export const CALL_MODULES: readonly string[] = [
  'node:http',
  'node:https',
  'node:http2',
  'node:tls',
  'undici',
]
export const CALL_PLACES: readonly string[] = [
  'server/http/',
  // Addresses are checked here.
  'server/outbound/',
  // In a browser.
  'server/page/',
  // Helpers of tests.
  'server/test-',
  'tools/',
  'scripts/',
  'fuzz/',
  'fixtures/',
]

/** Files of format and engine that may draw a number, because it never shows in bytes. */
export const CHANCE_PLACES: readonly string[] = [
  // The key of a hash table, so that nobody can prepare keys that collide.
  'format/json/keys.ts',
  // Who gives way in a full queue.
  'engine/read/pool/pool.ts',
  // Identities of instances, which copies must not share.
  'engine/store/catalog/identity.ts',
  // The key of ids that stand for those that a caller may not see.
  'engine/read/jobs/pseudonyms.ts',
  // How long a pause between tries is, so that clients do not all come back at once.
  'engine/model/backoff.ts',
]

/**
 * Files and folders of the engine that may look at a clock: for answers, deadlines and rests, never
 * for bytes.
 */
export const CLOCK_PLACES: readonly string[] = [
  'engine/model/time.ts',
  'engine/ai/template/work-clock.ts',
  'engine/read/queries/query-service.ts',
  'engine/write/indexer/worker-core.ts',
  'engine/write/indexer/worker.ts',
  'engine/read/answers/merge-documents.ts',
  'engine/read/jobs/control.ts',
  'engine/read/pool/',
  'engine/read/retrieval/',
  'engine/read/search/',
]

/** Files that are started, or found by their names, and not imported. */
export const ENTRY_FILES: readonly RegExp[] = [
  /\.(?:test|config|d)\.ts$/,
  /^server\/(?:main|program|bodies-worker)\.ts$/,
  /^server\/embed\/(?:index|types)\.ts$/,
  /^server\/page\/(?:index|api)\.ts$/,
  /^tools\/main\.ts$/,
  /^engine\/.*\/worker\.ts$/,
  /^scripts\/(?:bench|bundles|demo|docs|fire|installs|newcomer|scale)\/main\.ts$/,
  /^scripts\/browser\/test-instant-page\.ts$/,
  /^scripts\/bench\/.*\.bench\.ts$/,
  /^fuzz\/(?:run|worker)\.ts$/,
  /^fixtures\/test-(?:seed|folder)\.ts$/,
]
/** Files whose exports others use: programs of users, or scripts that are not TypeScript. */
export const PUBLISHED_FILES: readonly string[] = [
  'server/embed/index.ts',
  'server/embed/types.ts',
  'fuzz/run.ts',
  // For `scripts/build/launch.cjs`.
  'engine/read/pool/worker.ts',
]

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

export const LINES_MAX = 600
export const LINES_EXPLAINED_FROM = 400
export const FUNCTION_LINES_MAX = 70
export const COLUMNS_MAX = 100

/**
 * Findings tolerated until mended: `rule file` or `rule file#function` → lines. It may only shrink:
 * an entry that is no longer needed, or could be lower, is itself a finding.
 */
export const RATCHET: Readonly<Record<string, number>> = {}
