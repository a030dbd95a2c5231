/** Every screen of the desk in the states it must be seen in: node test/renderer/preview/look.mjs DIR test/renderer/preview/shots.mjs */
const press = (name) => (page) => page.getByRole('button', { name }).first().click()
const hold = press('Send 1 form')
const send = async (page) => {
  await hold(page)
  await press('Send now')(page)
}
const sendAt = async (page) => {
  await press('Send at another time')(page)
  await page.getByRole('menuitem', { name: /Choose a day/ }).click()
}
const themes = ['light', 'dark']
const sizes = ['960x640', '1366x768', '1920x1080']

const screens = [
  ['first', 'first', ''],
  ['first-no-keychain', 'first-no-keychain', ''],
  [
    'first-connect',
    'first',
    '',
    async (page) => {
      await press(/Connect your/)(page)
      await press('Connect')(page)
    }
  ],
  ['start', 'usual', '#/compose'],
  ['start-empty', 'empty', '#/compose'],
  ['start-failing', 'failing', '#/compose'],
  ['start-slow', 'slow', '#/compose', (page) => page.waitForTimeout(500)],
  ['editor', 'usual', '#/compose/draft-1'],
  ['editor-offline', 'offline', '#/compose/draft-1'],
  [
    'editor-missing',
    'usual',
    '#/compose',
    async (page) => {
      await press(/^Forms/)(page)
      await hold(page)
    }
  ],
  ['template', 'usual', '#/compose', press(/Residential/)],
  ['not-kept', 'unkept', '#/compose/draft-1', (page) => page.getByLabel('First name').fill('Mereana')],
  ['held', 'outbox', '#/compose/draft-1', hold],
  ['send-at', 'outbox', '#/compose/draft-1', sendAt],
  ['send-offline', 'outbox-line', '#/compose/draft-1'],
  ['sent', 'usual', '#/compose/draft-1', send],
  ['refused', 'refused', '#/compose/draft-1', send],
  ['uncertain', 'uncertain', '#/compose/draft-1', send],
  ['outbox', 'outbox', '#/outbox'],
  ['outbox-doubt', 'outbox', '#/outbox/doubt'],
  ['outbox-uncertain', 'outbox', '#/outbox/uncertain?show=attention'],
  ['outbox-timed', 'outbox', '#/outbox/later'],
  ['outbox-refused', 'outbox', '#/outbox/refused'],
  ['outbox-sent', 'outbox', '#/outbox/sent'],
  ['outbox-again', 'outbox', '#/outbox/sent', press(/^Send again as new/)],
  ['outbox-empty', 'outbox-empty', '#/outbox'],
  ['outbox-one', 'outbox-one', '#/outbox'],
  ['outbox-many', 'outbox-many', '#/outbox'],
  ['outbox-failing', 'outbox-failing', '#/outbox/sent'],
  ['outbox-batches', 'outbox-batches', '#/outbox'],
  ['outbox-all-batches', 'outbox-batches', '#/outbox?show=batches'],
  ['outbox-batch', 'outbox-batches', '#/outbox/row-3?batch=batch-1'],
  ['outbox-cancel', 'outbox-batches', '#/outbox?batch=batch-1', press(/^Cancel the rest/)],
  ['outbox-by-you', 'outbox-by-you', '#/outbox'],
  ['outbox-payment', 'outbox-payment', '#/outbox/held'],
  ['outbox-key', 'outbox-key', '#/outbox'],
  ['outbox-slow', 'outbox-slow', '#/outbox'],
  ['outbox-line', 'outbox-line', '#/outbox/line'],
  ['outbox-settings', 'outbox', '#/outbox', press('How the Outbox sends')],
  ['drafts', 'usual', '#/drafts'],
  ['drafts-empty', 'empty', '#/drafts'],
  ['drafts-failing', 'failing', '#/drafts'],
  ['settings', 'usual', '#/settings'],
  ['settings-memory', 'unkept', '#/settings'],
  ['settings-remove', 'usual', '#/settings', press(/^Remove Harbour/)],
  ['palette', 'usual', '#/drafts', (page) => page.keyboard.press('Control+k')],
  ['accounts-menu', 'usual', '#/drafts', press(/Practice office/)]
]

export default screens.flatMap(([name, scene, hash, script], index) =>
  themes.map((theme, place) => ({
    name: `${name}-${theme}`,
    scene,
    hash,
    theme,
    script,
    size: sizes[(index + place) % sizes.length]
  }))
)
