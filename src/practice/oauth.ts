/**
 * The practice office's sign-in service (OAuth 2): a consent page, tokens by code and by secret, rotating refresh
 * tokens, revocation. Everything is in memory only.
 */
import { type OAuthOptions, sameText } from './authentication.ts'
import { html } from './pages/html.ts'
import { type Clock, newKey, type RandomBytes } from './sources.ts'

const PATH = '/api/oauth2'
const CODE_LIFETIME = 60_000

/** @param issued called with the kind of grant after each access token. */
export function createOAuth(
  options: OAuthOptions,
  clock: Clock,
  random: RandomBytes,
  issued: (grantType: string) => void = () => undefined
) {
  const lifetime = (options.lifetimeSeconds ?? 3600) * 1000
  const codes = new Map<string, { challenge: string; redirect: string; until: number }>()
  /** Access tokens with the sign-in they belong to. */
  const access = new Map<string, { family: string; until: number }>()
  const refresh = new Map<string, string>()
  /** Used refresh tokens: reuse suggests that one was stolen. */
  const usedRefresh = new Map<string, string>()

  function endSignIn(family: string): void {
    for (const [token, one] of access) if (one.family === family) access.delete(token)
    for (const [token, one] of refresh) if (one === family) refresh.delete(token)
  }

  function grant(family: string, renews: 'new' | 'same' | 'none') {
    const token = newKey(random)
    access.set(token, { family, until: clock.now() + lifetime })
    const next = renews === 'new' ? newKey(random) : undefined
    if (next !== undefined) refresh.set(next, family)
    return jsonResponse({
      access_token: token,
      token_type: 'Bearer',
      expires_in: lifetime / 1000,
      ...(next !== undefined && { refresh_token: next })
    })
  }

  function tokenResponse(form: URLSearchParams): Response | Promise<Response> {
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return exchangeCode(form)
      case 'refresh_token': {
        const token = form.get('refresh_token') ?? ''
        const family = refresh.get(token)
        if (family === undefined) {
          endSignIn(usedRefresh.get(token) ?? '')
          return errorResponse('invalid_grant')
        }
        if (options.keepsRefreshToken) return grant(family, 'same')
        refresh.delete(token)
        usedRefresh.set(token, family)
        return grant(family, 'new')
      }
      case 'client_credentials':
        return options.secret === undefined ? errorResponse('unauthorized_client') : grant(newKey(random), 'none')
      default:
        return errorResponse('unsupported_grant_type')
    }
  }

  async function exchangeCode(form: URLSearchParams): Promise<Response> {
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const isValid =
      code &&
      code.until > clock.now() &&
      code.redirect === form.get('redirect_uri') &&
      code.challenge === (await challengeOf(form.get('code_verifier') ?? ''))
    return isValid ? grant(newKey(random), 'new') : errorResponse('invalid_grant')
  }

  function isClient(request: Request, form: URLSearchParams): boolean {
    const [id, secret] = clientIn(request) ?? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
    return sameText(id, options.clientId) && (options.secret === undefined || sameText(secret, options.secret))
  }

  function authorizePage(request: Request, url: URL): Response {
    const query = url.searchParams
    const redirect = URL.parse(query.get('redirect_uri') ?? '')
    const challenge = query.get('code_challenge') ?? ''
    const isOurs = redirect?.protocol === 'http:' && redirect.hostname === '127.0.0.1'
    if (!redirect || !isOurs || query.get('client_id') !== options.clientId || query.get('response_type') !== 'code')
      return pageResponse(html`<h1>Practice office</h1><p>Nothing that is known here asks you to sign in.</p>`, 400)
    const redirectBack = (result: Record<string, string>) => {
      for (const [name, value] of Object.entries({ ...result, state: query.get('state') ?? '' }))
        redirect.searchParams.set(name, value)
      return new Response(null, { status: 303, headers: { Location: redirect.href } })
    }
    if (!challenge || query.get('code_challenge_method') !== 'S256') return redirectBack({ error: 'invalid_request' })
    if (request.method === 'GET') {
      return pageResponse(html`<h1>Practice office</h1><p>Countersign would like to sign in. This is practice: nothing is really sent.</p>
<form method="post"><button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Deny</button></form>`)
    }
    if (query.get('answer') === 'deny') return redirectBack({ error: 'access_denied' })
    const code = newKey(random)
    const returnTo = query.get('redirect_uri') ?? ''
    codes.set(code, { challenge, redirect: returnTo, until: clock.now() + CODE_LIFETIME })
    return redirectBack({ code })
  }

  return {
    /** Answers a request to the sign-in service; undefined for any other. */
    async answer(request: Request): Promise<Response | undefined> {
      const url = new URL(request.url)
      if (url.pathname === '/.well-known/openid-configuration') return metadata(url.origin)
      if (!url.pathname.startsWith(`${PATH}/`)) return undefined
      const form = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
      const endpoint = url.pathname.slice(PATH.length + 1)
      if (endpoint === 'authorize') {
        const choice = form.get('answer')
        if (choice) url.searchParams.set('answer', choice)
        return authorizePage(request, url)
      }
      if (request.method !== 'POST') return errorResponse('invalid_request', 405)
      if (!isClient(request, form)) return errorResponse('invalid_client', 401)
      if (endpoint === 'token') {
        const response = await tokenResponse(form)
        if (response.ok) issued(form.get('grant_type') ?? '')
        return response
      }
      if (endpoint !== 'revoke') return undefined
      const token = form.get('token') ?? ''
      endSignIn(refresh.get(token) ?? access.get(token)?.family ?? '')
      return new Response(null)
    },

    isValidToken: (token: string): boolean => (access.get(token)?.until ?? 0) > clock.now(),
    /** Expires all access tokens at once; refresh tokens stay valid. */
    expire: (): void => access.clear(),
    signOut(): void {
      access.clear()
      refresh.clear()
    },
    /** Number of sign-ins that can still be renewed. */
    renewable: (): number => refresh.size
  }
}

function metadata(origin: string): Response {
  return jsonResponse({
    issuer: origin,
    authorization_endpoint: `${origin}${PATH}/authorize`,
    token_endpoint: `${origin}${PATH}/token`,
    revocation_endpoint: `${origin}${PATH}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none']
  })
}

/** Reads id and secret from the Authorization header, each form-encoded. */
function clientIn(request: Request): [id: string, secret: string] | undefined {
  const pair = /^Basic (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (!pair) return undefined
  const [id = '', secret = ''] = atob(pair).split(':')
  const decoded = (text: string) => new URLSearchParams(`a=${text}`).get('a') ?? ''
  return [decoded(id), decoded(secret)]
}

async function challengeOf(verifier: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  return btoa(String.fromCharCode(...bytes))
    .replace(/=+$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

function jsonResponse(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  })
}

function errorResponse(error: string, status = 400): Response {
  return jsonResponse({ error }, status)
}

function pageResponse(content: { toString(): string }, status = 200): Response {
  return new Response(`<!doctype html><html lang="en"><title>Practice office</title>${content}</html>`, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff'
    }
  })
}
