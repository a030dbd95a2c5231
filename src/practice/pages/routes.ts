/** The routes of signing pages: which page is shown when, and what a posted form changes. */
import type { Hono } from 'hono'
import type { Call, Env, PracticeDeps } from '../deps.ts'
import { answersMatch, isIdentified, MAX_TRIES, triesLeft } from '../identity/findings.ts'
import { type DocumentEvent, decline, hasSigned, log, markOpened, sign } from '../life.ts'
import { resource } from '../resources.ts'
import { signedCopy } from '../signed-copy.ts'
import type { DocumentRecord, Signature } from '../state.ts'
import { hasPicture } from './camera.ts'
import { type Mistake, storeValues } from './controls.ts'
import { donePage, lockedPage, obstaclePage, unknownPage } from './endings.ts'
import { notice, type Page, type PageSetting, page } from './frame.ts'
import { html } from './html.ts'
import { documentLetter } from './paper.ts'
import { asText, readForm, readSignature, recordFile } from './posted-form.ts'
import {
  asksVideo,
  declinePage,
  documentPage,
  identityPage,
  processVideo,
  reviewPage,
  type Signing,
  videoPage
} from './steps.ts'

/** What a step shows, or its redirect. */
type StepResult = Page | Response
type Step = (call: Call, signing: Signing, setting: PageSetting, form: PostedForm) => StepResult
type PostedForm = Record<string, unknown>

/** How long an identification stays valid, in milliseconds. */
const IDENTIFICATION_VALIDITY_MS = 30 * 60 * 1000

export function addSigningPages(app: Hono<Env>, deps: PracticeDeps): void {
  const now = () => deps.clock.now()
  const settingOf = (call: Call): PageSetting => ({ account: deps.state.account, base: call.get('address').base })

  /** Finds the signer by the page's key, and runs the step only while they may sign. */
  const forSigner =
    (step: Step, refusedStatus = 200) =>
    (call: Call, form: PostedForm) => {
      const setting = settingOf(call)
      const key = call.req.param('key') ?? ''
      const found = findSigner(deps, key)
      if (!found) return unknownPage(setting)
      const { account } = deps.state
      const redirectOrigin = redirectOriginOf(found.document)
      const signing = { ...found, path: `${setting.base}/sign/${key}`, account, redirectOrigin }
      const result =
        obstaclePage(setting, found.document, found.signer, refusedStatus) ?? step(call, signing, setting, form)
      return result instanceof Response ? result : page(setting, result)
    }
  const shownStep = (step: Step) => (call: Call) => forSigner(step)(call, {})
  /** A posted step: refused with 409 while the signer may not sign. */
  const postedStep = (step: Step) => async (call: Call) => {
    // While a form is read, its link may be withdrawn or locked, and others may sign.
    const form = await readForm(call)
    return forSigner(step, 409)(call, form)
  }
  /** Runs the step only after identification and video: until then, the document is neither shown nor changed. */
  const afterIdentification = (step: Step): Step => {
    return (call, signing, setting, form) => earlierStep(signing, setting) ?? step(call, signing, setting, form)
  }
  const earlierStep = (signing: Signing, setting: PageSetting): StepResult | undefined => {
    const { signer, document } = signing
    if (signer.idData.length > 0 && !isIdentified(signer, now(), IDENTIFICATION_VALIDITY_MS)) {
      if (triesLeft(signer) <= 0) return lockedPage(setting, document)
      return identityPage(signing, triesLeft(signer), signer.wrongAnswers > 0 ? 'wrong answer' : 'not tried')
    }
    return asksVideo(signer) ? videoPage(signing) : undefined
  }
  const notify = (document: DocumentRecord, events: DocumentEvent[]) => {
    deps.notifier.notify(document, events)
    deps.stateChanged()
  }
  const showDocument: Step = (_call, signing) => {
    if (markOpened(signing.document, signing.signer, now())) notify(signing.document, ['Opened'])
    return documentPage(signing)
  }
  const withMistakes = (shown: Page): Page => ({ ...shown, status: 400 })
  const finish = (call: Call, { document, signer, path }: Signing, signature: Signature) => {
    notify(document, sign(document, signer, signature, now()))
    return call.redirect(returnAddress(document) ?? `${path}/done`, 302)
  }

  app.get(
    '/sign/:key',
    shownStep((call, signing, setting, form) => {
      // A shared screen: the previous user may have been someone else.
      if (signing.signer.faceToFace) delete signing.signer.identifiedAt
      return afterIdentification(showDocument)(call, signing, setting, form)
    })
  )
  app.get('/sign/:key/document', shownStep(afterIdentification(showDocument)))

  app.post(
    '/sign/:key/identity',
    postedStep((call, signing, setting, form) => {
      const { document, signer, path } = signing
      if (triesLeft(signer) <= 0) return lockedPage(setting, document)
      if (answersMatch(signer.idData, (index) => asText(form[`answer-${index}`]))) {
        signer.identifiedAt = now()
        signer.wrongAnswers = 0
        log(document, now(), signer, hasPicture(form) ? 'Showed their identity and face' : 'Showed their identity')
        deps.stateChanged()
        return call.redirect(`${path}/document`, 303)
      }
      signer.wrongAnswers += 1
      log(document, now(), signer, `Answered an identity question wrongly (${signer.wrongAnswers} of ${MAX_TRIES})`)
      deps.stateChanged()
      if (triesLeft(signer) <= 0) return lockedPage(setting, document)
      return withMistakes(identityPage(signing, triesLeft(signer), 'wrong answer'))
    })
  )
  app.post(
    '/sign/:key/video',
    postedStep((call, signing, _setting, form) => {
      const { document, signer } = signing
      const mistake = processVideo(document, signer, form, now())
      if (mistake) return withMistakes(videoPage(signing, mistake))
      deps.stateChanged()
      return call.redirect(`${signing.path}/document`, 303)
    })
  )
  app.post(
    '/sign/:key/document',
    postedStep(
      afterIdentification((call, signing, _setting, form) => {
        const { document, signer, path } = signing
        markOpened(document, signer, now())
        const mistakes = storeValues(document, form)
        recordFile(document, signer, form.file, now())
        const signature = signer.review ? undefined : readSignature(form, mistakes)
        deps.stateChanged()
        if (mistakes.length > 0) return withMistakes(documentPage(signing, mistakes))
        if (!signature) return call.redirect(`${path}/review`, 303)
        return finish(call, signing, signature)
      })
    )
  )
  app.get('/sign/:key/review', shownStep(afterIdentification((_call, signing) => reviewPage(signing))))
  app.post(
    '/sign/:key/review',
    postedStep(
      afterIdentification((call, signing, _setting, form) => {
        const mistakes: Mistake[] = []
        const signature = readSignature(form, mistakes)
        if (hasEmptyFields(signing.document)) return call.redirect(`${signing.path}/document`, 303)
        if (signature && mistakes.length === 0) return finish(call, signing, signature)
        return withMistakes(reviewPage(signing, mistakes))
      })
    )
  )
  app.get('/sign/:key/decline', shownStep(afterIdentification((_call, signing) => declinePage(signing, 'not tried'))))
  app.post(
    '/sign/:key/decline',
    postedStep(
      afterIdentification((call, signing, _setting, form) => {
        const { document, signer, path } = signing
        const reason = asText(form.reason).trim().slice(0, 1000)
        if (!reason) return withMistakes(declinePage(signing, 'no reason'))
        notify(document, decline(document, signer, reason, now()))
        return call.redirect(returnAddress(document) ?? path, 302)
      })
    )
  )
  app.get('/sign/:key/done', (call: Call) => {
    const setting = settingOf(call)
    const key = call.req.param('key') ?? ''
    const found = findSigner(deps, key)
    if (!found) return unknownPage(setting)
    if (found.signer.signedAt === undefined) return call.redirect(`${setting.base}/sign/${key}`, 303)
    return donePage(setting, found.document, found.signer)
  })

  const documentOf = (call: Call) =>
    Object.values(deps.state.documents).find((one) => one.viewKey === call.req.param('key'))
  app.get('/view/:key', (call: Call) => {
    const document = documentOf(call)
    if (!document) return unknownPage(settingOf(call))
    const content = html`<main id="content">${documentLetter(document, deps.state.account)}</main>`
    return page(settingOf(call), { name: 'view', title: document.name, document, content })
  })
  app.get('/signed/:key', async (call: Call) => {
    const document = documentOf(call)
    if (!document?.signers.some(hasSigned)) return unknownPage(settingOf(call))
    const pdf = await signedCopy(document, deps.state.account)
    return new Response(pdf, { headers: { 'content-type': 'application/pdf', 'cache-control': 'no-store' } })
  })
  app.get('/v/:code', (call: Call) =>
    notice(settingOf(call), {
      name: 'video-room',
      title: 'Video confirmation',
      shape: 'person',
      text: html`<p>Here the recorded video would be shown, with the password that the office has. This is practice: nothing was kept.</p>`
    })
  )

  for (const [file, type] of ASSETS) app.get(`/assets/${file}`, () => asset(file, type))
}

const ASSETS = [
  ['sign.css', 'text/css; charset=utf-8'],
  ['sign.js', 'text/javascript; charset=utf-8'],
  ['camera.js', 'text/javascript; charset=utf-8'],
  ['allura.woff2', 'font/woff2'],
  ['public-sans-regular.ttf', 'font/ttf'],
  ['public-sans-semibold.ttf', 'font/ttf']
] as const

function findSigner(deps: PracticeDeps, key: string): Pick<Signing, 'document' | 'signer'> | undefined {
  if (key.length < 20) return undefined
  for (const document of Object.values(deps.state.documents)) {
    const signer = document.signers.find((one) => one.key === key)
    if (signer) return { document, signer }
  }
  return undefined
}

function hasEmptyFields(document: DocumentRecord): boolean {
  return document.fields.some((field) => field.required && !field.readOnly && field.value === '')
}

/** The ReturnUrl, if browsers may be redirected to it. */
function returnAddress(document: DocumentRecord): string | undefined {
  const url = URL.parse(document.returnUrl ?? '')
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined
}

function redirectOriginOf(document: DocumentRecord): string | undefined {
  const address = returnAddress(document)
  return address && new URL(address).origin
}

function asset(file: (typeof ASSETS)[number][0], type: string): Response {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }
  return new Response(resource(file), { headers })
}
