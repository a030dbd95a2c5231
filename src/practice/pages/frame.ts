/** The frame of every signing page: the office's bar, the step indicator, and the security headers. */
import type { Account, DocumentRecord } from '../state.ts'
import { html, type Markup } from './html.ts'

export interface PageSetting {
  account: Account
  /** The service's path without a trailing slash: `/web/v1.4`; may be empty. */
  base: string
}

export interface Page {
  /** Identifies the page to tests and embedding clients (`data-page`): `document`, `identity`, `done`, … */
  name: string
  title: string
  content: Markup
  document?: DocumentRecord
  steps?: { names: string[]; now: number }
  status?: number
  /** The ReturnUrl's origin: where a form's answer may redirect the browser, besides this service. */
  redirectOrigin?: string | undefined
  /** Whether the page has a camera part: no others may use the camera. */
  usesCamera?: boolean
}

export function page(
  setting: PageSetting,
  { name, title, content, document, steps, status = 200, redirectOrigin, usesCamera = false }: Page
): Response {
  const { account, base } = setting
  const body = `<!doctype html>${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · ${account.name}</title>
<link rel="stylesheet" href="${base}/assets/sign.css">
<link rel="icon" href="data:,">
<script src="${base}/assets/sign.js" defer></script>${usesCamera && html`<script src="${base}/assets/camera.js" defer></script>`}
</head>
<body data-page="${name}">
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
  <span class="mark" aria-hidden="true">${initials(account.name)}</span>
  <span class="who"><strong>${document?.name ?? account.name}</strong><small>${document ? account.name : account.address}</small></span>
  <span class="practice" title="Nothing signed here is binding">Practice</span>
</header>
${steps && stepList(steps)}
${content}
</body>
</html>`}`
  return new Response(body, { status, headers: pageHeaders(redirectOrigin, usesCamera ? 'camera' : 'no camera') })
}

function stepList({ names, now }: NonNullable<Page['steps']>): Markup {
  return html`<section aria-label="Steps"><ol class="steps">${names.map(
    (name, index) =>
      html`<li class="${index < now ? 'past' : index === now ? 'now' : ''}"${index === now && html` aria-current="step"`}>${name}</li>`
  )}</ol></section>`
}

function initials(name: string): string {
  return [...name.matchAll(/\b\p{Lu}/gu)].slice(0, 2).join('') || 'P'
}

function pageHeaders(redirectOrigin: string | undefined, devices: 'camera' | 'no camera'): Record<string, string> {
  // Browsers apply form-action to a form's redirects as well, so the target must be listed.
  const action = redirectOrigin ? `'self' ${redirectOrigin}` : `'self'`
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; form-action ${action}; base-uri 'none'`
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Permissions-Policy': `camera=${devices === 'camera' ? '(self)' : '()'}, microphone=(), geolocation=(), display-capture=()`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff'
  }
}

const SHAPES = {
  tick: html`<path d="M5 12.5l4.5 4.5L19 7.5"/>`,
  cross: html`<path d="M6.5 6.5l11 11m0-11l-11 11"/>`,
  clock: html`<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5.2l3.4 2"/>`,
  lock: html`<rect x="5.5" y="11" width="13" height="8.5" rx="2"/><path d="M8.5 11V8a3.5 3.5 0 0 1 7 0v3"/>`,
  person: html`<circle cx="12" cy="8.2" r="3.7"/><path d="M4.8 20c.7-4 3.6-6 7.2-6s6.500 2 7.200 6"/>`,
  question: html`<path d="M9 9a3 3 0 1 1 4.300 2.700c-.9.5-1.300 1-1.300 2.100M12 17.200v.1"/>`
}

/** Returns a decorative icon; its meaning is in the text next to it. */
export function emblem(shape: keyof typeof SHAPES, tone = ''): Markup {
  return html`<div class="emblem ${tone}"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${SHAPES[shape]}</svg></div>`
}

export interface Notice extends Pick<Page, 'name' | 'title' | 'document' | 'status'> {
  shape: keyof typeof SHAPES
  tone?: string
  text: Markup
}

export function notice(setting: PageSetting, message: Notice): Response {
  const content = html`<main id="content" class="centre" data-testid="${message.name}"><div class="card">${emblem(message.shape, message.tone)}<h1>${message.title}</h1>${message.text}</div></main>`
  return page(setting, { ...message, content })
}
