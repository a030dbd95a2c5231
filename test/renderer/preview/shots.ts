/**
 * Every screen in every state that must be looked at, one line each: a scene of the made-up office, a place in the
 * application, and actions to run there first. The stored screenshots, the accessibility check and look.ts all use this
 * list.
 */
import type { Page } from 'playwright'

export interface Shot {
  name: string
  scene: string
  /** The place in the application; by default the Overview. */
  at: string
  act?: (page: Page) => Promise<unknown>
}

const shot = (name: string, scene: string, at = '', act?: Shot['act']): Shot => ({
  name,
  scene,
  at,
  ...(act && { act })
})
/** Returns scenes shown at the same place, each under its own name. */
const at = (place: string, ...scenes: string[]): Shot[] => scenes.map((scene) => shot(scene, scene, place))

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
/** Chooses an action from the menu of the first person in the address book. */
const ofFirstPerson = (name: string) => async (page: Page) => {
  await page.getByRole('row').nth(1).click({ button: 'right' })
  await page.getByRole('menuitem', { name }).click()
}
/** Leaves the two alone that pass by themselves. */
const sendNow = async (page: Page) => {
  await press('Send 1 form')(page)
  await press('Send now')(page)
}

const toColumns = async (page: Page) => {
  await press('Choose a file…')(page)
  await press('Continue')(page)
}
const toCheck = async (page: Page) => {
  await toColumns(page)
  await press('Check 200 rows')(page)
  await page.getByLabel('E-mail, row 17').waitFor()
}
const correctRows = async (page: Page) => {
  await toCheck(page)
  await page.getByLabel('E-mail, row 17').fill('mere@example.com')
  await page.keyboard.press('Enter')
  await page
    .getByRole('grid')
    .getByText(/E-mail: “/)
    .click()
  await page.getByText('This row will send').waitFor()
}
/** Drags a file over the window without dropping it. */
const drag = (name: string, type: string) => async (page: Page) => {
  const data = await page.evaluateHandle(
    ([name, type]) => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], name, { type }))
      return data
    },
    [name, type] as const
  )
  await page.dispatchEvent('body', 'dragover', { dataTransfer: data })
}

const page = '#/documents/Progress?document=doc-6'
const identity = '#/identity/doc-6'

export const shots: Shot[] = [
  shot('first', 'first'),
  shot('first-no-keychain', 'first-no-keychain'),
  shot('first-locked', 'first-locked'),
  shot('recovery-locked', 'recovery-locked'),
  shot('recovery-open', 'recovery-open'),
  shot('recovery-open-settings', 'recovery-open', '#/settings/safety'),
  shot('first-newer', 'first-newer'),
  shot('first-damaged', 'first-damaged', '', press('Use a copy…')),
  shot('overview', 'day'),
  shot('overview-quiet', 'day-quiet'),
  shot('overview-news', 'day-news'),
  shot('overview-update', 'day-update'),
  shot('overview-old', 'day-old'),
  shot('overview-bare', 'day-bare'),
  shot('overview-bad-day', 'bad-day'),
  shot('overview-signatures', 'day-signatures'),
  shot('overview-not-accepted', 'day-not-accepted'),

  shot('start', 'usual', '#/compose'),
  shot('start-all-accounts', 'all-accounts', '#/compose'),
  shot('editor-all-accounts', 'all-accounts', '#/compose/draft-1'),
  shot('start-empty', 'empty', '#/compose'),
  shot('start-failing', 'failing', '#/compose'),
  shot('start-slow', 'slow', '#/compose'),
  shot('editor', 'usual', '#/compose/draft-1'),
  shot('editor-offline', 'offline', '#/compose/draft-1'),
  shot('editor-not-kept', 'unkept', '#/compose/draft-1'),
  ...at(
    '#/compose/draft-1',
    'one-signer',
    'full-signer',
    'twelve-signers',
    'forty-fields',
    'no-fields',
    'offline-templates'
  ),
  ...at('#/compose/draft-1', 'data-forms', 'data-blank', 'data-large', 'data-choices', 'data-gone'),
  shot('editor-request', 'usual', '#/compose/draft-1', async (page) => {
    await page.getByText('What will be sent').click()
  }),
  shot('editor-choices', 'forty-fields', '#/compose/draft-1', press('Edit choices: Field 4')),
  shot('templates', 'two-thousand-templates', '#/compose'),
  shot('sent', 'usual', '#/compose/draft-1', sendNow),
  shot('sent-again', 'usual', '#/compose/draft-1', async (page) => {
    await sendNow(page)
    await press('What the next one begins with')(page)
    await page.getByRole('menuitem', { name: 'With the same people and data' }).click()
    await page.getByRole('button', { name: /^Send 1/ }).click()
    await page.getByRole('dialog', { name: 'Send this again?' }).waitFor()
  }),
  shot('refused', 'refused', '#/compose/draft-1', sendNow),
  shot('uncertain', 'uncertain', '#/compose/draft-1', sendNow),
  shot('bulk', 'drafting', '#/bulk'),
  shot('bulk-sheet', 'drafting-doubt', '#/bulk?preset=office-1', press('Choose a file…')),
  shot('bulk-columns', 'drafting-doubt', '#/bulk?preset=office-1', toColumns),
  shot('bulk-check', 'drafting-doubt', '#/bulk?preset=office-1', toCheck),
  shot('bulk-countries', 'drafting-countries', '#/bulk?preset=office-1', toCheck),
  shot('bulk-corrected', 'drafting', '#/bulk?preset=office-1', correctRows),
  shot(
    'bulk-drop',
    'drafting',
    '#/drafts',
    drag('clients.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  ),
  shot('bulk-drop-pdf', 'drafting', '#/drafts', drag('contract.pdf', 'application/pdf')),

  shot('drafts', 'drafting', '#/drafts'),
  shot('drafts-shared', 'drafting-shared', '#/drafts'),
  shot('drafts-shared-history', 'drafting-shared', '#/drafts?history=made-2'),
  shot('compose-held', 'drafting-shared', '#/compose/made-1'),
  shot('compose-versions', 'drafting-shared', '#/compose/made-2'),
  shot('compose-only-here', 'drafting-shared', '#/compose/made-3'),
  ...at('#/drafts', 'drafting-one', 'drafting-empty', 'drafting-many', 'drafting-offline', 'drafting-failing'),

  shot('outbox', 'outbox', '#/outbox'),
  shot('outbox-doubt', 'outbox', '#/outbox/doubt'),
  shot('outbox-later', 'outbox', '#/outbox/later'),
  shot('outbox-time', 'outbox', '#/outbox/later', press('Change time…')),
  shot('outbox-refused', 'outbox', '#/outbox/refused'),
  shot('outbox-sent', 'outbox', '#/outbox/sent'),
  shot('outbox-office', 'outbox-office', '#/outbox/theirs'),
  shot('outbox-release', 'outbox-release', '#/outbox/held'),
  shot('outbox-not-released', 'outbox-release', '#/outbox/refused-here'),
  ...at(
    '#/outbox',
    'outbox-empty',
    'outbox-one',
    'outbox-many',
    'outbox-failing',
    'outbox-by-you',
    'outbox-put-back',
    'outbox-key',
    'outbox-slow'
  ),
  shot('outbox-payment', 'outbox-payment', '#/outbox/held'),
  shot('outbox-line', 'outbox-line', '#/outbox/line'),
  shot('outbox-batches', 'outbox-batches', '#/outbox?show=batches'),
  shot('outbox-batch', 'outbox-batches', '#/outbox/row-3?batch=batch-1'),
  shot('outbox-left-out', 'outbox-batches', '#/outbox?batch=batch-1', press(/^Show rows left out/)),

  shot('documents', 'documents-views', '#/documents'),
  ...at('#/documents/all', 'documents-own-folders', 'documents-unreadable', 'documents-hostile', 'many', 'unread'),
  shot('documents-empty', 'empty', '#/documents/all'),
  shot('documents-failing', 'failing', '#/documents/all'),
  shot('documents-slow', 'slow', '#/documents/all'),
  shot('documents-offline', 'offline', '#/documents/all'),
  shot('document-remind', 'document', page, press(/^Remind .+…$/)),
  ...at(
    page,
    'document',
    'document-unread',
    'document-hostile',
    'document-many',
    'document-declined',
    'document-expired'
  ),
  ...at(
    page,
    'document-complete',
    'document-gone',
    'document-erased-soon',
    'document-offline',
    'document-waiting',
    'document-uncertain'
  ),
  ...at(
    page,
    'document-refused',
    'document-bare',
    'document-verified',
    'document-not-valid',
    'document-altered',
    'document-signed-since'
  ),
  ...at(identity, 'identity', 'identity-failed', 'identity-two', 'identity-three', 'identity-bare', 'identity-hostile'),
  ...at(
    identity,
    'identity-none',
    'identity-gone',
    'identity-offline',
    'identity-error',
    'identity-slow',
    'identity-left-out'
  ),
  ...at(
    '#/identity-pdf/doc-6',
    'identity-pdf-slow',
    'identity-pdf-broken',
    'identity-pdf-locked',
    'identity-pdf-large'
  ),
  ...at('#/identity-pdf/doc-6', 'identity-pdf-offline'),

  shot('clerk', 'clerk', '#/counter'),
  ...at('#/counter', 'clerk-appointments', 'clerk-appointments-office', 'clerk-appointments-empty'),
  ...at('#/counter', 'clerk-appointments-unseen', 'clerk-appointments-in-use'),
  shot('clerk-appointment', 'clerk-appointments', '#/counter', async (page) => {
    await press('Appointments')(page)
    await page.getByRole('menuitem', { name: 'Add appointment…' }).click()
    await page.getByLabel('Name').first().fill('Aroha Ngata')
  }),
  shot('clerk-import', 'clerk-import', '#/counter', async (page) => {
    await press('Appointments')(page)
    await page.getByRole('menuitem', { name: 'Import from a file…' }).click()
    await page.getByText('2 can’t be read').last().click()
  }),
  ...at('#/counter/board', 'board', 'board-empty', 'board-help', 'board-office', 'board-office-away', 'board-offline'),
  ...at('#/counter/board', 'board-office-apart', 'board-office-unknown', 'board-office-reading', 'board-many'),
  ...at(
    '#/counter',
    'clerk-empty',
    'clerk-one',
    'clerk-many',
    'clerk-without-link',
    'clerk-elsewhere',
    'clerk-called',
    'clerk-failing'
  ),
  ...at('#/counter', 'clerk-offline', 'clerk-signed', 'clerk-mixed', 'clerk-interrupted'),
  ...at(
    '#/counter',
    'clerk-panel',
    'clerk-panel-file',
    'clerk-panel-not-reserved',
    'clerk-panel-other-camera',
    'clerk-panel-choose-file',
    'clerk-panel-help',
    'clerk-panel-camera',
    'clerk-panel-return',
    'clerk-locked',
    'clerk-locked-names',
    'walk-in'
  ),
  ...['clerk-sheet', 'clerk-sheet-not-reserved', 'clerk-no-pin'].map((scene) =>
    shot(scene, scene, '#/counter', press(/^Start: Mere/))
  ),
  shot('clerk-passport', 'clerk-sheet', '#/counter', async (page) => {
    await press(/^Start: /)(page)
    await page.getByText('Compare a passport or ID card').first().click()
    const lines = `${'P<NZLPARATA<<MERE<HINEMOA'.padEnd(44, '<')}\nL898902C36UTO7408122F1204159ZE184226B<<<<<10`
    await page.getByLabel('Machine-readable lines').first().fill(lines)
  }),
  shot('clerk-alike', 'clerk-alike', '#/counter'),
  shot('clerk-alike-sheet', 'clerk-alike', '#/counter', async (page) => {
    await press(/^Start: Mere Parata .*1980/)(page)
    await page.getByText('Compare a passport or ID card').first().click()
    const lines = `${'P<NZLPARATA<<MERE<HINEMOA'.padEnd(44, '<')}\nL898902C36UTO7408122F1204159ZE184226B<<<<<10`
    await page.getByLabel('Machine-readable lines').first().fill(lines)
  }),
  shot('clerk-passport-kept', 'clerk-sheet-kept', '#/counter', async (page) => {
    await press(/^Start: /)(page)
    await page.getByText('Compare a passport or ID card').first().click()
  }),
  shot('clerk-typed', 'clerk-sheet-typed', '#/counter', async (page) => {
    await press(/^Start: /)(page)
    await page.getByText('Compare a passport or ID card').first().click()
    await press('No machine-readable lines? Enter the printed details')(page)
    await page.getByLabel('Name on the document').fill('PARATA, Mere Hinemoa')
    await page.getByLabel('Document number').fill('AB 123456')
    await page.getByLabel('Expiry date').fill('15/4/2025')
    await press('Compare')(page)
    await page.getByText('The document has expired.').scrollIntoViewIfNeeded()
  }),
  shot('clerk-sitting', 'clerk-sitting', '#/counter', async (page) => {
    await press(/^Start: /)(page)
    await press('Select all')(page)
    await page.getByRole('heading', { name: 'The screen goes to' }).scrollIntoViewIfNeeded()
  }),
  shot('clerk-sitting-large', 'clerk-sitting-large', '#/counter', async (page) => {
    await press(/^Start: Mere/)(page)
    await press('Select all')(page)
  }),
  ...at('#/counter', 'clerk-endless', 'clerk-endless-appointments', 'clerk-endless-panel', 'clerk-endless-result'),
  shot('clerk-endless-sheet', 'clerk-endless', '#/counter', press(/^Start: .*1980/)),
  shot('clerk-endless-sitting', 'clerk-endless-sitting', '#/counter', async (page) => {
    await press(/^Start: Mere/)(page)
    await press('Select all')(page)
  }),
  shot('clerk-endless-passport', 'clerk-endless-sitting', '#/counter', async (page) => {
    await press(/^Start: Mere/)(page)
    await press('Select all')(page)
    const section = page.locator('section[data-person=endless]')
    await section.getByText('Compare a passport or ID card').click()
    const lines = `${'P<NZLPARATA<<MERE<HINEMOA'.padEnd(44, '<')}\nL898902C36UTO7408122F1204159ZE184226B<<<<<10`
    await section.getByLabel('Machine-readable lines').fill(lines)
    await section.getByText(/^The names differ/).scrollIntoViewIfNeeded()
  }),
  ...at('#/counter/board', 'board-endless', 'board-endless-one'),
  shot('clerk-receipt', 'clerk-mixed', '#/counter', press('Receipt')),
  shot('clerk-receipt-language', 'clerk-mixed', '#/counter', async (page) => {
    await press('Receipt')(page)
    await page.getByRole('menuitem', { name: /^Another language for Tama/ }).click()
  }),
  ...at('#/audit', 'record', 'record-empty', 'record-older', 'record-broken'),
  shot('audit-office', 'record-office', '#/audit', press('Verify')),

  shot('downloads', 'downloads', '#/downloads'),
  shot('downloads-first', 'downloads-first', page, press('Download report (PDF)')),
  shot('downloads-verifying', 'downloads-verifying', '#/downloads?show=rules'),
  shot('downloads-rule', 'downloads-verifying', '#/downloads?show=rules', async (page) => {
    await press('Add a rule…')(page)
    await page.getByLabel('Verify signatures').check()
  }),
  shot('downloads-name', 'downloads', '#/downloads?show=rules', async (page) => {
    await press('Add a rule…')(page)
    await page.getByRole('button', { name: 'Dash' }).first().click()
  }),
  ...at(
    '#/downloads',
    'downloads-empty',
    'downloads-paused',
    'downloads-offline',
    'downloads-full',
    'downloads-failed'
  ),
  shot('downloads-together', 'downloads-together', '#/downloads/dl-1'),
  shot('downloads-together-saved', 'downloads-together', '#/downloads/dl-5'),
  ...at('#/downloads', 'downloads-ten-thousand', 'downloads-saved', 'downloads-checked', 'downloads-fetched-again'),
  ...at('#/downloads', 'downloads-checking', 'downloads-failing', 'downloads-slow'),

  shot('directory', 'day', '#/directory'),
  shot('directory-bare', 'day-bare', '#/directory'),
  shot('directory-templates', 'day', '#/directory/templates'),
  shot('directory-menu', 'day', '#/directory', async (page) => {
    await page.getByRole('row').nth(2).click({ button: 'right' })
  }),
  shot('directory-edit', 'day', '#/directory', ofFirstPerson('Edit…')),
  shot('directory-same', 'day', '#/directory', ofFirstPerson('Merge with another person…')),
  shot('directory-employers', 'day', '#/directory/employers'),
  shot('activity', 'day', '#/activity'),
  shot('activity-bare', 'day-bare', '#/activity'),

  shot('settings', 'usual', '#/settings'),
  shot('settings-notifications', 'usual', '#/settings/notifications'),
  shot('settings-mark', 'usual', '#/settings', async (page) => {
    await press(/^More for Harbour/)(page)
    await page.getByRole('menuitem', { name: 'Mark and colour…' }).click()
  }),
  shot('settings-prepare', 'usual', '#/settings', async (page) => {
    await press(/^More for Harbour/)(page)
    await page.getByRole('menuitem', { name: 'Prepare for other computers…' }).click()
    // The code differs each time.
    await page.locator('.code span').evaluateAll((groups) => {
      for (const group of groups) group.textContent = 'ABCD5'
    })
  }),
  shot('settings-enrol', 'usual', '#/settings', async (page) => {
    await press('Connect with an enrolment file…')(page)
    await page.getByLabel('Code').fill('ABCDE')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('This isn’t the code of this file.').waitFor()
  }),
  shot('settings-import', 'usual', '#/settings/safety', press('Import settings…')),
  shot('settings-account-menu', 'usual', '#/settings', press(/^More for Harbour/)),
  shot('settings-support', 'usual', '#/settings/support', press('Check this computer')),
  shot('settings-startup', 'settings-offered', '#/settings/start'),
  shot('settings-crashes', 'settings-offered', '#/settings/support', press('Save a report…')),
  shot('settings-report', 'usual', '#/settings/support', press('Save a report…')),
  ...dataAndSecurity(),
  shot('settings-office', 'usual', '#/settings/office'),
  shot('settings-office-join', 'usual', '#/settings/office', async (page) => {
    await press('Join an office…')(page)
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await page.getByText('Enter the join code.').waitFor()
  }),
  shot('settings-office-leave', 'membership-away', '#/settings/office', press('Leave the office…')),
  ...['membership-busy', 'membership-untold'].map((scene) => shot(scene, scene, '#/settings/office', leaveOffice)),
  ...at(
    '#/settings/office',
    'membership-connecting',
    'membership-connected',
    'membership-watching',
    'membership-away',
    'membership-unwritable',
    'membership-crowded',
    'membership-refused',
    'membership-untrusted',
    'membership-pooled',
    'membership-no-keychain',
    'membership-elsewhere',
    'membership-older',
    'membership-newer',
    'membership-other',
    'membership-wrong-key'
  ),
  shot('settings-updates', 'usual', '#/settings/updates'),
  ...at(
    '#/settings/updates',
    'updates-none',
    'updates-waiting',
    'updates-downloading',
    'updates-ready',
    'updates-refused'
  ),
  shot('requests', 'requests', '#/requests'),
  shot('requests-empty', 'usual', '#/requests'),
  shot('settings-unkept', 'unkept', '#/settings'),
  shot('settings-organisation-locked', 'organisation', '#/settings'),
  shot('settings-organisation', 'organisation', '#/settings/organisation'),
  shot('settings-organisation-counter', 'organisation', '#/settings/counter'),
  shot('settings-managed', 'managed', '#/settings/organisation'),
  ...at('#/settings', 'clerk-settings', 'clerk-settings-bare', 'clerk-settings-reset', 'drop-folders'),
  ...['clerk-settings-staff', 'clerk-settings-locked', 'clerk-settings-one-releases'].map((scene) =>
    shot(scene, scene, '#/settings', (page) =>
      page.locator('#counter-title').evaluate((title) => title.scrollIntoView())
    )
  ),
  ...(['counter', 'clerk'] as const).flatMap(asRole),
  shot('pen-test', 'clerk-settings', '#/settings', async (page) => {
    await press('Test a pen display…')(page)
    await page.mouse.move(300, 400)
    await page.mouse.down()
    await page.mouse.move(800, 560, { steps: 20 })
    await page.mouse.up()
  }),
  shot('camera-test', 'clerk-settings', '#/settings', press('Choose and test camera…')),
  shot('clerk-staff-member', 'clerk-settings-staff', '#/settings', press('Edit Ben Tui')),
  shot('clerk-unlock-settings', 'clerk-settings-locked', '#/settings', press('Unlock…')),
  shot('clerk-locked-other', 'clerk-locked-names', '#/counter', press('Another staff member')),
  shot('clerk-locked-once', 'clerk-locked-once', '#/counter', async (page) => {
    await page.getByLabel('Staff PIN or badge').fill('2468')
    await press('Unlock')(page)
    await page.getByRole('heading', { name: 'Choose your own PIN' }).waitFor()
  }),
  shot('clerk-sheet-switch', 'clerk-start-names', '#/counter', async (page) => {
    await press(/^Start/)(page)
    await press('Not you? Switch')(page)
  }),
  shot('audit-receipt', 'record', '#/audit', async (page) => {
    await press('Export')(page)
    await page.getByRole('menuitem', { name: 'Check a file…' }).click()
    await page.getByText(/is as it was issued/).waitFor()
  }),
  shot('audit-key', 'record', '#/audit', async (page) => {
    await press('Export')(page)
    await page.getByRole('menuitem', { name: 'Signing key…' }).click()
  }),

  shot('settings-connected', 'office-connected', '#/settings?check=harbour', async (page) => {
    await page.getByText(/^Connected\./).waitFor()
  }),
  shot('settings-refused', 'office-refused', '#/settings', async (page) => {
    await page.getByRole('button', { name: /^Edit…/ }).click()
    await page.getByLabel('Registered access URL').fill('https://harbour.example.com/old')
    await page.getByRole('button', { name: 'Check and save' }).click()
    await page.getByText(/^We couldn’t connect\./).waitFor()
  }),

  shot('settings-clock', 'office-clock', '#/settings', press(/^Check connection/)),
  shot('settings-vouched', 'office-network', '#/settings', press(/^Check connection/)),
  shot('settings-certificate', 'office-network', '#/settings', async (page) => {
    await page.getByRole('button', { name: /^Edit…/ }).click()
    await page.getByText('Client certificate').click()
    await page.getByRole('button', { name: 'Look for certificates' }).click()
    await page.getByLabel('Certificate', { exact: true }).scrollIntoViewIfNeeded()
  }),
  shot('proxy-sign-in', 'office-network', '#/documents', press('Sign in…')),
  shot('outside-draft', 'outside', '#/documents', (page) => page.getByRole('dialog').waitFor()),
  shot('outside-file', 'outside', '#/documents', async (page) => {
    await press('Cancel')(page)
    await page.getByRole('dialog', { name: /^Import/ }).waitFor()
  }),
  shot('outside-refused', 'outside-refused', '#/documents', (page) => page.getByRole('dialog').waitFor()),
  shot('settings-signed-out', 'office-signed-out', '#/settings'),
  shot('settings-oauth', 'office-signing-in', '#/settings', connectByOAuth),
  shot('settings-signing-in', 'office-signing-in', '#/settings', async (page) => {
    await connectByOAuth(page)
    await page.getByRole('button', { name: 'Sign in…' }).click()
    await page.getByText('Continue in your browser.').waitFor()
  }),

  shot('first-help', 'first', '#/help/administration/setting-up-a-computer'),
  shot('help', 'usual', '#/help/guide/bulk-send'),
  shot('help-table', 'usual', '#/help/guide/drop-folders'),
  shot('help-search', 'usual', '#/help/guide/downloading?search=identity+folder'),
  shot('help-nothing', 'usual', '#/help/guide/drafts?search=nomatch'),
  shot('help-changelog', 'usual', '#/help/changelog'),
  shot('palette-help', 'usual', '#/drafts', async (page) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('help')
    await page.getByText('Help: Bulk send').waitFor()
  }),

  shot('palette', 'usual', '#/drafts', (page) => page.keyboard.press('Control+k')),
  shot('accounts', 'usual', '#/drafts', press(/Practice office/)),

  ...at(
    '',
    'person-handover',
    'person-handover-three',
    'person-handover-kept',
    'person-handover-nameless',
    'person-handover-long',
    'person-handover-tongan',
    'person-handover-arabic',
    'person-handover-contrast',
    'person-handover-endless',
    'person-handover-turned',
    'person-open-arabic',
    'person-loading'
  ),
  ...at(
    '',
    'person-open',
    'person-open-three',
    'person-open-practice',
    'person-open-long',
    'person-open-plain',
    'person-open-file',
    'person-consent',
    'person-file',
    'person-file-none',
    'person-staff-file'
  ),
  ...at(
    '',
    'person-moment',
    'person-help',
    'person-finish',
    'person-stop',
    'person-camera',
    'person-away',
    'person-idle'
  ),
  ...at('', 'person-moment-camera', 'person-away-camera', 'person-staff', 'person-staff-camera', 'person-asking'),
  ...at(
    '',
    'person-between',
    'person-between-unknown',
    'person-between-declined',
    'person-between-not-yet',
    'person-thanked',
    'person-thanked-receipt',
    'person-return-receipt'
  ),
  ...at('', 'person-not-me', 'person-failed', 'person-failed-turn', 'person-return', 'person-return-unknown'),
  ...at('', 'person-interrupted', 'person-open-warning', 'person-handover-warning', 'person-away-wait'),
  ...at('', 'person-reset-allowed', 'person-reset-never'),
  ...at('', 'display-nameless', 'display-away', 'display-idle', 'display-bare', 'display-long', 'display-handover'),
  ...at('', 'display-call', 'display-picture'),
  ...at('', 'display-open', 'display-return'),
  shot('person-pin', 'person-moment', '', press('Staff')),
  shot('person-preferences', 'person-handover', '', (page) => page.locator('[aria-haspopup=dialog]').click()),
  shot('person-preferences-paused', 'person-moment', '', (page) => page.locator('[aria-haspopup=dialog]').click())
]

async function connectByOAuth(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect an account' }).click()
  await page.getByRole('radio', { name: /^OAuth 2/ }).check()
  await page.getByLabel('Name', { exact: true }).fill('Harbour Law')
  await page.getByLabel('Service address').fill('https://signing.example.com/web/v1.4')
  await page.getByLabel('Client ID').fill('countersign-harbour')
  await page.getByLabel('Sign-in service').fill('https://signing.example.com')
}

async function leaveOffice(page: Page): Promise<void> {
  await press('Leave the office…')(page)
  await page.getByRole('button', { name: 'Leave the office', exact: true }).click()
  await page.getByText('This workstation hasn’t left the office.').waitFor()
}

/** Returns what a role is refused, on the screens with the most of it. */
function asRole(role: 'counter' | 'clerk'): Shot[] {
  const of = (name: string, scene: string, at: string, act?: Shot['act']) =>
    shot(`as-${role}-${name}`, `as-${role}-${scene}`, at, act)
  return [
    of('settings', 'usual', '#/settings'),
    // Shows the reason to keyboard users.
    of('focused', 'usual', '#/settings/safety', async (page) => {
      await page.getByRole('button', { name: 'Back up…' }).focus()
      await page.keyboard.press('Tab')
    }),
    of('safety', 'usual', '#/settings/safety'),
    of('staff', 'clerk-settings-staff', '#/settings/counter'),
    of('drop-folders', 'drop-folders', '#/settings/drop-folders'),
    of('outbox', 'outbox-release', '#/outbox/held'),
    of('drafts', 'drafting-shared', '#/drafts'),
    of('draft', 'drafting-shared', '#/compose/made-1'),
    of('counter', 'clerk', '#/counter'),
    of('document', 'document', page),
    of('menu', 'drafting-shared', '#/drafts', (page) => page.getByRole('row').nth(1).click({ button: 'right' }))
  ]
}

/** Returns the Data and security section of Settings, and its backup dialogs from opening to end. */
function dataAndSecurity(): Shot[] {
  const section = '#/settings/safety'
  const passphrase = 'a passphrase of four words'
  const backUp = (typed?: string) => async (page: Page) => {
    await press('Back up…')(page)
    if (typed === undefined) return
    await page.getByLabel('Passphrase', { exact: true }).fill(typed)
    await page.getByLabel('Repeat passphrase').fill(typed)
    await press('Save backup…')(page)
  }
  const check = async (page: Page) => {
    await press('Restore a backup…')(page)
    await page.getByLabel('Passphrase').fill(passphrase)
    await press('Check backup')(page)
  }
  return [
    shot('safety-restored', 'restored', section),
    shot('outbox-restored', 'restored', '#/outbox'),
    shot('safety-trouble', 'unkept', section),
    ...at('#/settings/retention', 'retention', 'retention-locked'),
    shot('overview-erased-soon', 'retention'),
    shot('backups-scheduled', 'backups-scheduled', section),
    shot('backups-schedule', 'backups-scheduled', section, press('Change schedule…')),
    shot('backups-failing', 'backups-failing', section),
    shot('recovery-key', 'usual', section, press('Make a recovery key…')),
    shot('recovery-change', 'usual', section, press('Change encryption key…')),
    shot('removal', 'removal', section, press('Remove everything from this computer…')),
    shot('recovery-offer', 'recovery-offer', '#/today'),
    shot('backup', 'usual', section, backUp()),
    shot('backup-short', 'usual', section, backUp('too short')),
    shot('backup-running', 'backup-running', section, backUp(passphrase)),
    shot('backup-done', 'usual', section, backUp(passphrase)),
    shot('restore', 'usual', section, press('Restore a backup…')),
    shot('restore-wrong-passphrase', 'backup-wrong-passphrase', section, check),
    shot('restore-damaged', 'backup-damaged', section, check),
    shot('restore-newer', 'backup-newer', section, press('Restore a backup…')),
    shot('restore-running', 'backup-running', section, check),
    shot('restore-contents', 'usual', section, check)
  ]
}
