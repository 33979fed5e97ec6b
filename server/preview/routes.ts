// The pages over HTTP: strict about what a page may do, generous about what may be cached.
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
 * Scripts, styles and requests of this server alone, no markup out of texts, no frames. Documents
 * are hostile: even if a text became markup, it could not run or send a request.
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

/** Addresses with a page for browsers → the page. Other clients get the answer of the route. */
const PAGES = { '/': 'page.html', '/openapi': 'api.html' } as const
const PARTS = ['page.css', 'page.js', 'api.css', 'api.js', 'icon.svg'] as const

/** The routes with the pages of `folder` for clients whose `Accept` names HTML. */
export function withPreview(routes: readonly Route[], folder: URL): readonly Route[] {
  const read = previewFiles(folder)
  const pages = Object.entries(PAGES).flatMap(([path, name]) => {
    const before = routes.find((row) => row.method === 'GET' && row.path === path)
    const page = async (request: RawRequest): Promise<Reply> => {
      const reply = replyOf(await read(name), request)
      return { ...reply, headers: [...(reply.headers ?? []), ...FOR_PAGE] }
    }
    return [
      fileRoute('GET', path, (request) =>
        takesHtml(request) || before === undefined ? page(request) : before.handle(request),
      ),
      fileRoute('HEAD', path, (request) => (takesHtml(request) ? page(request) : NOT_HERE)),
    ]
  })
  const part = (name: FileName) => async (request: RawRequest) => replyOf(await read(name), request)
  return [
    ...routes.filter(({ method, path }) => !(method === 'GET' && path in PAGES)),
    ...pages,
    ...(['GET', 'HEAD'] as const).flatMap((method) =>
      PARTS.map((name) => fileRoute(method, `/preview/${name}`, part(name))),
    ),
  ]
}

/** HEAD is for pages; routes of the API refuse it as any method they do not have. */
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
