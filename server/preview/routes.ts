// The preview page over HTTP: strict about what a page may do, generous about what may be kept.
import type { RawRequest, Reply, Route } from '../http/index.ts'
import { type FileName, type PreviewFile, previewFiles } from './files.ts'

const OPEN = { permits: null, body: 'none', query: null } as const

/** Files are asked for with the raw request: with its headers, and its query string as it is. */
const fileRoute = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
  ...OPEN,
  method,
  path,
  handle,
})

/**
 * Scripts and styles of this server alone, requests to it alone, no markup out of texts, nobody's
 * frame. Documents are hostile: what slips through as markup must not run or call anybody.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const FOR_PAGE = ['Content-Security-Policy', POLICY, 'Vary', 'Accept'] as const
const SAFE = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=()',
] as const
const FOR_EVER = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'no-cache'

/**
 * The routes with a page at `/` for browsers, and what it consists of. Clients that do not name
 * HTML among what they take get what the route at `/` has answered before.
 */
export function withPreview(routes: readonly Route[], folder: URL): readonly Route[] {
  const root = routes.find(({ method, path }) => method === 'GET' && path === '/')
  const read = previewFiles(folder)
  const page = async (request: RawRequest): Promise<Reply> => {
    const reply = replyOf(await read('page.html'), request)
    return { ...reply, headers: [...(reply.headers ?? []), ...FOR_PAGE] }
  }
  const part = (name: FileName) => async (request: RawRequest) => replyOf(await read(name), request)
  return [
    ...routes.filter((row) => row !== root),
    fileRoute('GET', '/', (request) =>
      takesHtml(request) || root === undefined ? page(request) : root.handle(request),
    ),
    fileRoute('HEAD', '/', (request) => (takesHtml(request) ? page(request) : NOT_HERE)),
    ...(['GET', 'HEAD'] as const).flatMap((method) => [
      fileRoute(method, '/preview/page.css', part('page.css')),
      fileRoute(method, '/preview/page.js', part('page.js')),
      fileRoute(method, '/preview/icon.svg', part('icon.svg')),
    ]),
  ]
}

/** HEAD is for pages; routes of the API answer it as any method they do not know. */
const NOT_HERE: Reply = { status: 405, headers: ['Allow', 'GET'] }

const takesHtml = (request: RawRequest): boolean =>
  /\btext\/html\b/i.test(request.header('accept') ?? '')

function replyOf(file: PreviewFile, request: RawRequest): Reply {
  const tag = `W/"${file.digest}"`
  const isNamed = request.query === `v=${file.digest}`
  const headers = ['ETag', tag, 'Cache-Control', isNamed ? FOR_EVER : ASK_AGAIN, ...SAFE]
  const known = request.header('if-none-match') ?? ''
  if (known.split(',').some((item) => item.trim() === tag)) return { status: 304, headers }
  return {
    status: 200,
    body: file.bytes,
    contentType: file.type,
    headers,
    packed: file.packed,
  }
}
