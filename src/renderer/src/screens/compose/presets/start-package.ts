/** Starts a package from a preset, template or form, wherever it was chosen: as a new draft, which is opened. */
import { blankComposition, type Composition } from '../../../../../shared/composition/composition.ts'
import type { Result } from '../../../../../shared/contract/errors.ts'
import type { DraftSummary, KnownForm, PersonView } from '../../../../../shared/contract/views.ts'
import { type Api, ofAccount, settled } from '../../../api.ts'
import type { AppState } from '../../../state/app-state.svelte.ts'
import type { Presets } from '../../../state/presets.svelte.ts'
import { omissionsOf, packageOfTemplate, preparedForCounter, preparedForRecipient, randomKey } from '../edits.ts'

/**
 * Address query for a walk-in: someone is waiting at the counter to sign as soon as it is sent. An additional `name` is
 * theirs.
 */
export const FOR_COUNTER = { for: 'counter' }

/** Address query: the package is for the person chosen beforehand. */
const TO_RECIPIENT = { to: 'person' }

/** Opens the choice of what to send to a person. */
export function startPackageFor(app: AppState, person: PersonView): void {
  app.recipient = person
  app.router.go('compose', [], TO_RECIPIENT)
}

/** Returns the recipient, if the package was started from a person. */
export function recipientOf(app: AppState): PersonView | undefined {
  return app.router.route.query.get('to') === TO_RECIPIENT.to ? app.recipient : undefined
}

export const DUE_PASSED = 'The preset’s due date has passed, so the default applies.'

/**
 * Starts a package from a preset, as a new draft. Returns the draft's id.
 * @param walkIn whether someone is waiting at the counter to sign it.
 */
export async function startFromPreset(
  app: AppState,
  presets: Presets,
  id: string,
  walkIn: 'walk-in' | undefined = undefined
): Promise<Result<string>> {
  const name = app.router.route.query.get('name') ?? ''
  const person = recipientOf(app)
  const started = await presets.createDraft(id, app.clock.now(), (composition) =>
    walkIn ? preparedForCounter(composition, name) : person ? preparedForRecipient(composition, person) : composition
  )
  if (!started.ok) return started
  const { draftId, due } = started.value
  if (due === 'passed') app.toasts.say(DUE_PASSED)
  app.router.go('compose', [draftId], walkIn && FOR_COUNTER)
  return { ok: true, value: draftId }
}

/**
 * Starts a package of one form, or of one template with its listed signers and fields. Returns the new draft.
 */
export async function startFromForm(app: AppState, known: KnownForm): Promise<Result<DraftSummary>> {
  // Loading the templates takes time, in which another account may be chosen.
  const accountId = app.accounts.chosen?.id ?? ''
  const api = ofAccount(app.api, accountId)
  const begun = await packageOf(app, api, known)
  if (!begun.ok) return begun
  const draft = await settled(api.drafts.save({ composition: begun.value }))
  if (draft.ok && app.accounts.chosen?.id === accountId) app.router.go('compose', [draft.value.id])
  return draft
}

async function packageOf(
  app: AppState,
  api: Api,
  { kind, Name, Reference, FormType = '' }: KnownForm
): Promise<Result<Composition>> {
  if (kind === 'form-direct') {
    const blank = blankComposition(kind, randomKey())
    return { ok: true, value: { ...blank, items: blank.items.map((item) => ({ ...item, Name, Reference, FormType })) } }
  }
  const list = await settled(api.templates.list({ refresh: false }))
  if (!list.ok) return list
  const template = list.value.items.find((one) => one.Reference === Reference)
  const omissions = template
    ? omissionsOf(template)
    : `“${Name}” isn’t in the template list. Enter its signers and fields yourself.`
  if (omissions) app.toasts.warn(omissions)
  return { ok: true, value: packageOfTemplate(template ?? { Name, Reference }, randomKey) }
}
