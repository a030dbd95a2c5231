/** Every screen of the desk in the states it must be seen in: node test/renderer/preview/look.mjs DIR test/renderer/preview/shots.mjs */
const press = (name) => (page) => page.getByRole('button', { name }).first().click()
const send = press('Send 1 form')
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
      await press('Connect and check')(page)
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
      await send(page)
    }
  ],
  ['template', 'usual', '#/compose', press(/Residential/)],
  ['not-kept', 'unkept', '#/compose/draft-1', (page) => page.getByLabel('First name').fill('Mereana')],
  ['sent', 'usual', '#/compose/draft-1', send],
  ['refused', 'refused', '#/compose/draft-1', send],
  ['uncertain', 'uncertain', '#/compose/draft-1', send],
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
