// Entry point of the API page's script. The page shows the OpenAPI description of the server and
// sends requests that a user fills in.
import { startApiPage } from './explorer/index.ts'

startApiPage(document)
