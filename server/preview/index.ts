// Serves the pages for browsers in development mode: the preview page at `/` and the API page at
// `/openapi`. The files come from the build; their sources are in `server/page`.
export { withPreview } from './routes.ts'
