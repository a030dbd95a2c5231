/**
 * The practice office's sign-in service (OAuth 2): a consent page, tokens by code and by secret, rotating refresh
 * tokens, revocation. Everything is in memory only.
 */
import { type OAuthOptions, sameText } from './authentication.ts'
import { html } from './pages/html.ts'
import { type Clock, newKey, type RandomBytes } from './sources.ts'

const PATH = '/api/oauth2'
const CODE_LIFETIME = 60_000

export function createOAuth(options: OAuthOptions, clock: Clock, random: RandomBytes) {
  const lifetime = (options.lifetimeSeconds ?? 3600) * 1000
  const codes = new Map<string, { challenge: string; redirect: string; until: number }>()
  /** Access tokens with the sign-in they belong to. */
  const access = new Map<string, { family: string; until: number }>()
  const refresh = new Map<string, string>()
  /** Used refresh tokens: reuse suggests that one was stolen. */
  const used = new Map<string, string>()

  function end(family: string): void {
    for (const [token, one] of access) if (one.family === family) access.delete(token)
    for (const [token, one] of refresh) if (one === family) refresh.delete(token)
  }

  function grant(family: string, renews: 'new' | 'same' | 'none') {
    const token = newKey(random)
    access.set(token, { family, until: clock.now() + lifetime })
    const next = renews === 'new' ? newKey(random) : undefined
    if (next !== undefined) refresh.set(next, family)
    return answer({
      ...{ access_token: token, token_type: 'Bearer', expires_in: lifetime / 1000 },
      ...(next !== undefined && { refresh_token: next })
    })
  }

  function tokens(form: URLSearchParams): Response | Promise<Response> {
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return byCode(form)
      case 'refresh_token': {
        const token = form.get('refresh_token') ?? ''
        const family = refresh.get(token)
        if (family === undefined) {
          end(used.get(token) ?? '')
          return refusal('invalid_grant')
        }
        if (options.keepsRefreshToken) return grant(family, 'same')
        refresh.delete(token)
        used.set(token, family)
        return grant(family, 'new')
      }
      case 'client_credentials':
        return options.secret === undefined ? refusal('unauthorized_client') : grant(newKey(random), 'none')
      default:
        return refusal('unsupported_grant_type')
    }
  }

  async function byCode(form: URLSearchParams): Promise<Response> {
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const isRight =
      code &&
      code.until > clock.now() &&
      code.redirect === form.get('redirect_uri') &&
      code.challenge === (await challengeOf(form.get('code_verifier') ?? ''))
    return isRight ? grant(newKey(random), 'new') : refusal('invalid_grant')
  }

  function isClient(request: Request, form: URLSearchParams): boolean {
    const [id, secret] = clientIn(request) ?? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
    return sameText(id, options.clientId) && (options.secret === undefined || sameText(secret, options.secret))
  }

  function page(request: Request, url: URL): Response {
    const asked = url.searchParams
    const redirect = URL.parse(asked.get('redirect_uri') ?? '')
    const challenge = asked.get('code_challenge') ?? ''
    const isOurs = redirect?.protocol === 'http:' && redirect.hostname === '127.0.0.1'
    if (!redirect || !isOurs || asked.get('client_id') !== options.clientId || asked.get('response_type') !== 'code')
      return shown(html`<h1>Practice office</h1><p>Nothing that is known here asks you to sign in.</p>`, 400)
    const back = (result: Record<string, string>) => {
      for (const [name, value] of Object.entries({ ...result, state: asked.get('state') ?? '' }))
        redirect.searchParams.set(name, value)
      return new Response(null, { status: 303, headers: { Location: redirect.href } })
    }
    if (!challenge || asked.get('code_challenge_method') !== 'S256') return back({ error: 'invalid_request' })
    if (request.method === 'GET') {
      return shown(html`<h1>Practice office</h1><p>Countersign would like to sign in. This is practice: nothing is really sent.</p>
<form method="post"><button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Deny</button></form>`)
    }
    if (asked.get('answer') === 'deny') return back({ error: 'access_denied' })
    const code = newKey(random)
    const returnTo = asked.get('redirect_uri') ?? ''
    codes.set(code, { challenge, redirect: returnTo, until: clock.now() + CODE_LIFETIME })
    return back({ code })
  }

  return {
    /** Answers a request to the sign-in service; undefined for any other. */
    async answer(request: Request): Promise<Response | undefined> {
      const url = new URL(request.url)
      if (url.pathname === '/.well-known/openid-configuration') return metadata(url.origin)
      if (!url.pathname.startsWith(`${PATH}/`)) return undefined
      const form = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
      const what = url.pathname.slice(PATH.length + 1)
      if (what === 'authorize') {
        const pressed = form.get('answer')
        if (pressed) url.searchParams.set('answer', pressed)
        return page(request, url)
      }
      if (request.method !== 'POST') return refusal('invalid_request', 405)
      if (!isClient(request, form)) return refusal('invalid_client', 401)
      if (what === 'token') return tokens(form)
      if (what !== 'revoke') return undefined
      const token = form.get('token') ?? ''
      end(refresh.get(token) ?? access.get(token)?.family ?? '')
      return new Response(null)
    },

    /** Whether this access token is valid. */
    isLetIn: (token: string): boolean => (access.get(token)?.until ?? 0) > clock.now(),
    /** Expires all access tokens at once; refresh tokens stay valid. */
    expire: (): void => access.clear(),
    /** Signs everyone out. */
    signOut(): void {
      access.clear()
      refresh.clear()
    },
    /** Number of sign-ins that can still be renewed. */
    renewable: (): number => refresh.size
  }
}

function metadata(origin: string): Response {
  return answer({
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

function answer(said: object, status = 200): Response {
  return new Response(JSON.stringify(said), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  })
}

function refusal(error: string, status = 400): Response {
  return answer({ error }, status)
}

function shown(content: { toString(): string }, status = 200): Response {
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
