// Serves the pages for browsers in development mode: the preview page at `/` and the API page at
// `/openapi`; also the list of the documentation at `/llms.txt`. The files come from the build; their
// sources are in `server/page`.
export { withPreview } from './routes.ts'
