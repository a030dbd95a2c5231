// Every request of every page passes through here before it leaves, in the order of Electron's own stages: may the
// frame navigate, may the request be made (webRequest), is its scheme one of the application's, and only then the
// network.
import type * as Electron from 'electron'
import type { Browser } from './browser.ts'
import type { CdpSession, Protocol } from './cdp.ts'
import { carriedScheme, toApp } from './schemes.ts'
import { notEmulated } from './strict.ts'
import { onPageRefused } from './targets.ts'
import type { WebContents } from './web-contents.ts'
import { resourceType } from './web-request.ts'

type Paused = Protocol.Fetch.requestPausedPayload
type Header = Protocol.Fetch.HeaderEntry

const owners = new Map<string, WebContents>()
// Document requests of pages that are still being created, released once their page arrives or is refused.
const heldRequests = new Map<string, Paused[]>()
const refusedTargets = new Set<string>()
let root: CdpSession

export async function watchNetwork(browser: Browser): Promise<void> {
  root = browser.root
  root.on('Fetch.requestPaused', (paused) => void handlePaused(paused))
  onPageRefused((targetId) => {
    refusedTargets.add(targetId)
    for (const paused of heldRequests.get(targetId) ?? []) fail(paused, 'Aborted')
    heldRequests.delete(targetId)
  })
  await root.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
}

/** Assigns the frame's requests to `contents` from now on. */
export function ownFrame(frameId: string, contents: WebContents): void {
  owners.set(frameId, contents)
  const waiting = heldRequests.get(frameId) ?? []
  heldRequests.delete(frameId)
  for (const paused of waiting) void handlePaused(paused)
}

export function disownFrame(frameId: string): void {
  owners.delete(frameId)
}

/** Returns the page that a frame is in. */
export function ownerOfFrame(frameId: string): WebContents | undefined {
  return owners.get(frameId)
}

async function handlePaused(paused: Paused): Promise<void> {
  const contents = owners.get(paused.frameId)
  if (!contents) return handleUnowned(paused)
  try {
    await (paused.responseStatusCode === undefined ? handleRequest(contents, paused) : handleResponse(contents, paused))
  } catch (error) {
    fail(paused, 'Failed')
    throw error
  }
}

function handleUnowned(paused: Paused): void {
  // A worker without a page, or a page on its way out: there is no page to ask whether it may.
  if (paused.resourceType !== 'Document' || refusedTargets.has(paused.frameId)) {
    fail(paused, 'Aborted')
    return
  }
  heldRequests.set(paused.frameId, [...(heldRequests.get(paused.frameId) ?? []), paused])
}

function fail(paused: Paused, errorReason: Protocol.Network.ErrorReason): void {
  root.sendAndForget('Fetch.failRequest', { requestId: paused.requestId, errorReason })
}

async function handleRequest(contents: WebContents, paused: Paused): Promise<void> {
  const { request, requestId } = paused
  // Chrome's tabs fetch an icon unasked; Electron's pages don't.
  if (paused.resourceType === 'Other' && new URL(request.url).pathname === '/favicon.ico')
    return fail(paused, 'Aborted')
  if (paused.resourceType === 'Document' && !contents.navigation.mayLoad(paused)) return fail(paused, 'Aborted')
  const { session } = contents
  if (session.verifyProc && request.url.startsWith('https:'))
    notEmulated('a page’s encrypted line that the application judges')
  const { webRequest } = session
  const details = describe(contents, paused)
  const { cancel, redirectURL } = await webRequest.beforeRequest({ ...details, uploadData: uploads(paused) })
  if (cancel) return fail(paused, 'BlockedByClient')
  if (redirectURL) {
    const responseHeaders = [
      { name: 'Location', value: redirectURL },
      { name: 'Access-Control-Allow-Origin', value: '*' }
    ]
    return root.sendAndForget('Fetch.fulfillRequest', { requestId, responseCode: 307, responseHeaders })
  }
  const sending = await webRequest.beforeSendHeaders({ ...details, requestHeaders: { ...request.headers } })
  if (sending.cancel) return fail(paused, 'BlockedByClient')
  const changed = sending.requestHeaders as Record<string, string | string[]> | undefined
  const scheme = carriedScheme(request.url)
  if (scheme && session.schemes.isProtocolHandled(scheme)) return serve(contents, paused, scheme, changed)
  root.sendAndForget('Fetch.continueRequest', {
    requestId,
    interceptResponse: webRequest.watchesResponses,
    ...(changed ? { headers: entries(changed) } : {})
  })
}

async function serve(
  contents: WebContents,
  paused: Paused,
  scheme: string,
  changed: Record<string, string | string[]> | undefined
): Promise<void> {
  const { request, requestId } = paused
  const headers = changed ? Object.fromEntries(entries(changed).map((h) => [h.name, h.value])) : request.headers
  try {
    const body = uploadBody(paused)
    const served = await contents.session.schemes.serve(scheme, {
      url: request.url,
      method: request.method,
      headers,
      body
    })
    const sent = served.headers.map(([name, value]) => ({ name, value }))
    const after = await applyHeaderListeners(contents, paused, served.status, sent)
    if (after.cancel) return fail(paused, 'BlockedByClient')
    root.sendAndForget('Fetch.fulfillRequest', {
      requestId,
      responseCode: after.status,
      responseHeaders: after.headers,
      body: served.body.toString('base64')
    })
  } catch (error) {
    console.error(`test host: the handler of ${scheme}: failed for ${toApp(request.url)}:`, error)
    fail(paused, 'Failed')
  }
}

async function handleResponse(contents: WebContents, paused: Paused): Promise<void> {
  const status = paused.responseStatusCode ?? 0
  const headers = paused.responseHeaders ?? []
  const { origin, protocol } = new URL(paused.request.url)
  const isDocument = paused.resourceType === 'Document'
  if (isDocument && protocol === 'https:') await contents.session.permissions.decideReports(origin)
  const after = await applyHeaderListeners(contents, paused, status, headers)
  if (after.cancel) return fail(paused, 'BlockedByClient')
  const response = {
    requestId: paused.requestId,
    responseCode: after.status,
    responsePhrase: after.phrase || 'OK',
    responseHeaders: after.headers
  }
  if (!bringsPolicy(paused, headers) || after.headers === headers)
    return root.sendAndForget('Fetch.continueResponse', response)
  // Chromium has already read the page's policy from its headers, and only reads it again from a response that is
  // fulfilled again.
  const read = await root.send('Fetch.getResponseBody', { requestId: paused.requestId }).catch(() => undefined)
  // The requester has gone meanwhile. If it hasn't, it gets nothing, rather than the policy that its service sent.
  if (!read) return fail(paused, 'Aborted')
  const bytes = read.base64Encoded ? read.body : Buffer.from(read.body).toString('base64')
  root.sendAndForget('Fetch.fulfillRequest', { ...response, body: bytes })
}

/** Returns whether a response brings a policy of its own: a document, or a script, which may be a worker's. */
function bringsPolicy({ resourceType, responseStatusCode = 0 }: Paused, headers: Header[]): boolean {
  const value = (name: string) => headers.find((header) => header.name.toLowerCase() === name)?.value ?? ''
  if (Math.floor(responseStatusCode / 100) === 3) return false
  if (resourceType === 'Script' || resourceType === 'Other') return value('content-type').includes('javascript')
  if (resourceType !== 'Document') return false
  return /html|xml/.test(value('content-type')) && !value('content-disposition').startsWith('attachment')
}

async function applyHeaderListeners(
  contents: WebContents,
  paused: Paused,
  status: number,
  headers: Header[]
): Promise<{ cancel: boolean; status: number; phrase: string; headers: Header[] }> {
  const grouped: Record<string, string[]> = {}
  for (const { name, value } of headers) grouped[name] = [...(grouped[name] ?? []), value]
  const answer = await contents.session.webRequest.headersReceived({
    ...describe(contents, paused),
    statusLine: `HTTP/1.1 ${status} ${paused.responseStatusText ?? ''}`.trim(),
    statusCode: status,
    responseHeaders: grouped
  })
  const line = /^HTTP\/\S+ (\d+) ?(.*)$/.exec(answer.statusLine ?? '')
  return {
    cancel: answer.cancel ?? false,
    status: line ? Number(line[1]) : status,
    phrase: line?.[2] ?? paused.responseStatusText ?? '',
    headers: answer.responseHeaders ? entries(answer.responseHeaders) : headers
  }
}

function entries(headers: Record<string, string | string[]>): Header[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => ({ name, value: String(each) }))
  )
}

function describe(contents: WebContents, paused: Paused) {
  const frame = contents.frames.get(paused.frameId)
  const mainFrame = contents.frames.main?.id === paused.frameId
  return {
    id: Number(/\d+$/.exec(paused.requestId)?.[0] ?? 0),
    url: toApp(paused.request.url),
    method: paused.request.method,
    webContentsId: contents.id,
    webContents: contents.asElectron(),
    frame: (frame ?? null) as unknown as Electron.WebFrameMain | null,
    resourceType: resourceType(paused.resourceType, { mainFrame }),
    referrer: toApp(paused.request.headers.Referer ?? ''),
    timestamp: Date.now()
  }
}

function uploadBody(paused: Paused): Buffer | undefined {
  const parts = paused.request.postDataEntries?.map((entry) => Buffer.from(entry.bytes ?? '', 'base64'))
  if (parts?.length) return Buffer.concat(parts)
  return paused.request.postData === undefined ? undefined : Buffer.from(paused.request.postData)
}

function uploads(paused: Paused): Electron.UploadData[] {
  const bytes = uploadBody(paused)
  return bytes ? [{ bytes }] : []
}
