/**
 * What a screen reader announces on a signer's screen at the counter, in English and, right to left, in Arabic: each
 * part's role and name, in reading order. Texts for staff stay English.
 */
import { expect, test } from 'playwright/test'
import type { PersonLanguage } from '../../src/shared/contract/counter-views.ts'
import { shots } from '../renderer/preview/shots.ts'
import { openPreview, type Preview, themes } from './preview.ts'

let preview: Preview
test.describe.configure({ timeout: 120_000 })
test.beforeAll(async () => {
  preview = await openPreview()
})
test.afterAll(() => preview.close())

const LANGUAGES = (language: string, chosen: string) => [
  `group "${language}"`,
  ...['English', 'te reo Māori', 'Gagana Sāmoa', 'lea faka-Tonga', 'العربية'].map(
    (name) => `button "${name}"${name === chosen ? ' [pressed]' : ''}`
  )
]
const [ENGLISH, ARABIC] = [LANGUAGES('Language', 'English'), LANGUAGES('اللغة', 'العربية')]
/** The bar below the signer's content; its first button only while they have the screen. */
const BAR = {
  en: ['button "Language and display"', 'status', 'button "Staff"'],
  ar: ['button "اللغة والعرض"', 'status', 'button "الموظفون"']
}
/** For staff. */
const PAD = [
  ...['text: Staff PIN', 'textbox "Staff PIN"', 'alert'],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => `button "${digit}"`),
  ...['button "Delete"', 'button "0"', 'button "Unlock" [disabled]', 'status']
]

type Tree = Record<'en' | 'ar', readonly string[]>
const STAGES: Record<string, Tree> = {
  'person-handover': {
    en: [
      ...ENGLISH,
      'heading "Please hand the screen to Mere Parata" [level=1]',
      'paragraph: "To sign: Residential tenancy agreement"',
      ...['button "I’m Mere Parata – start"', 'button "That’s not me"', ...BAR.en]
    ],
    ar: [
      ...ARABIC,
      'heading "يرجى تسليم الشاشة إلى Mere Parata" [level=1]',
      'paragraph: "للتوقيع: Residential tenancy agreement"',
      ...['button "أنا Mere Parata – ابدأ"', 'button "هذا ليس أنا"', ...BAR.ar]
    ]
  },
  // Says what is kept of their identity document.
  'person-handover-kept': {
    en: [
      ...ENGLISH,
      'heading "Please hand the screen to Mere Parata" [level=1]',
      'paragraph: "To sign: Tenancy agreement Parata"',
      'paragraph: The office keeps the number and expiry date of your passport or ID card.',
      ...['button "I’m Mere Parata – start"', 'button "That’s not me"', ...BAR.en]
    ],
    ar: [
      ...ARABIC,
      'heading "يرجى تسليم الشاشة إلى Mere Parata" [level=1]',
      'paragraph: "للتوقيع: Tenancy agreement Parata"',
      'paragraph: يحتفظ المكتب برقم جواز سفرك أو بطاقة هويتك وتاريخ انتهاء صلاحيته.',
      ...['button "أنا Mere Parata – ابدأ"', 'button "هذا ليس أنا"', ...BAR.ar]
    ]
  },
  'person-not-me': {
    en: [
      'heading "Please ask staff" [level=1]',
      'paragraph: This screen is for someone else. Please give it back to staff.',
      ...[...PAD, ...BAR.en.slice(0, 2)]
    ],
    ar: [
      'heading "يرجى سؤال الموظفين" [level=1]',
      'paragraph: هذه الشاشة لشخص آخر. يرجى إعادتها إلى الموظفين.',
      ...[...PAD, ...BAR.ar.slice(0, 2)]
    ]
  },
  'person-help': {
    en: [
      'heading "Please ask staff" [level=1]',
      'paragraph: Staff can explain each step, and you can stop at any time.',
      'paragraph: Nothing is signed until the last step.',
      ...['button "Continue"', ...BAR.en]
    ],
    ar: [
      'heading "يرجى سؤال الموظفين" [level=1]',
      'paragraph: يمكن للموظفين شرح كل خطوة، ويمكنك التوقف في أي وقت.',
      'paragraph: لا يتم توقيع أي شيء قبل الخطوة الأخيرة.',
      ...['button "متابعة"', ...BAR.ar]
    ]
  },
  'person-idle': {
    en: [
      'heading "Please ask staff to continue" [level=1]',
      'paragraph: The screen wasn’t used for a while, so the page is hidden. Nothing is lost.',
      ...[...PAD, ...BAR.en.slice(0, 2)]
    ],
    ar: [
      'heading "يرجى طلب الموظفين للمتابعة" [level=1]',
      'paragraph: لم تُستخدم الشاشة لبعض الوقت، لذلك أُخفيت الصفحة. لم يضع شيء.',
      ...[...PAD, ...BAR.ar.slice(0, 2)]
    ]
  },
  'person-thanked': {
    en: [
      'heading "Thank you, Mere Parata" [level=1]',
      ...['list', 'listitem: Residential tenancy agreement Signed', 'listitem: Statement of advice Declined'],
      ...['button "Pass the screen to the next person"', ...BAR.en]
    ],
    ar: [
      'heading "شكرًا لك، Mere Parata" [level=1]',
      ...['list', 'listitem: Residential tenancy agreement تم التوقيع', 'listitem: Statement of advice تم الرفض'],
      ...['button "تسليم الشاشة إلى الشخص التالي"', ...BAR.ar]
    ]
  },
  'person-return-receipt': {
    en: [
      'heading "Thank you" [level=1]',
      'paragraph: Your signatures on 3 documents have been received.',
      ...['status', 'img "QR code of receipt R-2025-000123-3F2A"', 'paragraph', 'strong: R-2025-000123-3F2A'],
      'text: Take a picture to keep your receipt’s number.',
      ...['paragraph: Please give the screen back to staff.', ...BAR.en.slice(1)]
    ],
    ar: [
      'heading "شكرًا لك" [level=1]',
      'paragraph: تم استلام توقيعاتك على 3 مستندات.',
      ...['status', 'img "رمز QR للإيصال R-2025-000123-3F2A"', 'paragraph', 'strong: R-2025-000123-3F2A'],
      'text: التقط صورة للاحتفاظ برقم إيصالك.',
      ...['paragraph: يرجى إعادة الشاشة إلى الموظفين.', ...BAR.ar.slice(1)]
    ]
  }
}

/** The *Language and display* panel. */
const PREFERENCES: Tree = {
  en: [
    ...[
      'region "Language and display"',
      'heading "Language and display" [level=1]',
      'heading "Language" [level=2]',
      ...ENGLISH
    ],
    ...[
      'group "Text size"',
      'heading "Text size" [level=2]',
      'button "Normal" [pressed]',
      'button "Large"',
      'button "Largest"'
    ],
    ...['group "High contrast"', 'heading "High contrast" [level=2]', 'button "On"', 'button "Off" [pressed]'],
    ...['group "More time"', 'heading "More time" [level=2]', 'button "On"', 'button "Off" [pressed]'],
    ...['paragraph: The screen waits longer before it’s hidden.', 'button "Done"']
  ],
  ar: [
    ...['region "اللغة والعرض"', 'heading "اللغة والعرض" [level=1]', 'heading "اللغة" [level=2]', ...ARABIC],
    ...[
      'group "حجم النص"',
      'heading "حجم النص" [level=2]',
      'button "عادي" [pressed]',
      'button "كبير"',
      'button "الأكبر"'
    ],
    ...['group "تباين عالٍ"', 'heading "تباين عالٍ" [level=2]', 'button "تشغيل"', 'button "إيقاف" [pressed]'],
    ...['group "وقت أطول"', 'heading "وقت أطول" [level=2]', 'button "تشغيل"', 'button "إيقاف" [pressed]'],
    ...['paragraph: تنتظر الشاشة وقتًا أطول قبل أن تُخفى.', 'button "تم"']
  ]
}

/** Returns one line per part, without indentation and without the marks that isolate a name's direction. */
async function treeOf(within: string): Promise<string[]> {
  const lines = (await preview.page.locator(within).ariaSnapshot()).split('\n')
  return lines.map((line) =>
    line
      .replace(/^ *- /, '')
      .replace(/:$/, '')
      .replace(/[\u2066-\u2069]/g, '')
  )
}

async function open(name: string): Promise<void> {
  const shot = shots.find((one) => one.name === name)
  if (!shot) throw new Error(`There is no scene ${name}.`)
  await preview.page.setViewportSize({ width: 1024, height: 640 })
  await preview.show(shot, themes.light)
}

async function setLanguage(language: PersonLanguage): Promise<void> {
  await preview.page.evaluate(async (code) => {
    const { counter } = window.countersign
    const state = await counter.state()
    if (!state.ok || !state.value) throw new Error('Nobody signs.')
    await counter.adjust({ id: state.value.id, language: code })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  }, language)
}

for (const [name, tree] of Object.entries(STAGES))
  test(name, async () => {
    await open(name)
    for (const language of ['en', 'ar'] as const) {
      await setLanguage(language)
      expect((await treeOf('dialog')).slice(1)).toEqual(tree[language])
    }
  })

/** A part's role, level and state, without its name or text, which are translated. */
const shapeOf = (line: string) =>
  line
    .replace(/^'|'$/g, '')
    .replace(/ "(\\.|[^"\\])*"/, '')
    .replace(/:( .*)?$/s, '')

/** Which language is pressed differs. */
const unpressed = (tree: string[]) => tree.map((line) => line.replace('button [pressed]', 'button'))
const OTHERS: PersonLanguage[] = ['mi', 'sm', 'to', 'zh-Hans', 'hi', 'pa', 'ar']
/** The rest of the stages, and the other languages: the same parts in the same order and state as in English. */
for (const { name } of shots.filter((one) => one.name.startsWith('person-')))
  test(`${name} has the same parts in each language`, { tag: '@full' }, async () => {
    await open(name)
    await setLanguage('en')
    const english = (await treeOf('dialog')).map(shapeOf)
    expect(english.length).toBeGreaterThan(2)
    for (const language of OTHERS) {
      await setLanguage(language)
      expect(unpressed((await treeOf('dialog')).map(shapeOf)), language).toEqual(unpressed(english))
    }
  })

test('the language and display panel', async () => {
  await open('person-preferences')
  for (const language of ['en', 'ar'] as const) {
    await setLanguage(language)
    const all = await treeOf('dialog')
    expect(all.slice(all.findIndex((line) => line.startsWith('region')))).toEqual(PREFERENCES[language])
  }
})

test('the idle second display', async () => {
  await open('display-idle')
  expect(await treeOf('body')).toEqual([
    ...['main', 'status', 'heading "Welcome to Harbour & Co. Please take a seat." [level=1]'],
    ...['paragraph', 'time: 09:12', 'text: Tuesday 24 November 2026']
  ])
})
