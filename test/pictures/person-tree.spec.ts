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

/** The files that staff opened for them, each with its label beside it. */
const FILES = [
  'Passport Mere Parata.pdf PDF, 471 KB',
  'Power bill October 2026.pdf PDF, 94 KB',
  'Front door.jpg JPG, 3.1 MB'
].flatMap((file) => [`radio "${file}"`, `text: ${file}`])

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

/** Above and below the signing page, which has a tree of its own. */
const FRAME = {
  en: (page: string) => [
    ...['button "Stop"', 'button "I’ve finished"', `status: ${page}`],
    ...['button "Help"', 'button "I need a moment"', 'button "Language and display"', 'status'],
    ...['button "Smaller"', 'button "Larger"', 'button "Staff"']
  ],
  ar: (page: string) => [
    ...['button "إيقاف"', 'button "انتهيت"', `status: ${page}`],
    ...['button "مساعدة"', 'button "أحتاج لحظة"', 'button "اللغة والعرض"', 'status'],
    ...['button "أصغر"', 'button "أكبر"', 'button "الموظفون"']
  ]
}
/** Once staff have entered their PIN, everything is theirs, and in English. */
const STAFFS = (lines: string[]): Tree => ({ en: [...lines, 'status'], ar: [...lines, 'status'] })
const LOSES = 'paragraph: Ending the session closes the page. Anything filled in or drawn but not submitted is lost.'

/** The other stages, and each kind of pause and result. */
const OTHER_STAGES: Record<string, Tree> = {
  'person-open-three': {
    en: [
      'heading "Document 2 of 3 Statement of advice" [level=1]',
      'paragraph: "Secure page from signing.example.com F6: to the buttons"',
      ...FRAME.en('The page is open.')
    ],
    ar: [
      'heading "المستند 2 من 3 Statement of advice" [level=1]',
      'paragraph: "صفحة آمنة من signing.example.com F6: إلى الأزرار"',
      ...FRAME.ar('الصفحة مفتوحة.')
    ]
  },
  'person-loading': {
    en: [
      'heading "Residential tenancy agreement" [level=1]',
      'paragraph: Secure page from signing.example.com',
      ...FRAME.en('The page is opening.')
    ],
    ar: [
      'heading "Residential tenancy agreement" [level=1]',
      'paragraph: صفحة آمنة من signing.example.com',
      ...FRAME.ar('الصفحة قيد الفتح.')
    ]
  },
  'person-open-warning': {
    en: [
      'heading "Residential tenancy agreement" [level=1]',
      'paragraph: "Secure page from signing.example.com F6: to the buttons"',
      ...FRAME.en('The page is open.'),
      'alert: Are you still there? Choose “I’m here” to keep going.',
      ...['button "I’m here"', 'button "I need more time"']
    ],
    ar: [
      'heading "Residential tenancy agreement" [level=1]',
      'paragraph: "صفحة آمنة من signing.example.com F6: إلى الأزرار"',
      ...FRAME.ar('الصفحة مفتوحة.'),
      'alert: هل ما زلت هنا؟ اختر «أنا هنا» للمتابعة.',
      ...['button "أنا هنا"', 'button "أحتاج وقتًا أطول"']
    ]
  },
  'person-moment-camera': {
    en: [
      'heading "Take your time" [level=1]',
      'paragraph: Your page is hidden and stays as you left it.',
      'paragraph: The camera may still be on.',
      ...['button "Continue"', ...BAR.en]
    ],
    ar: [
      'heading "خذ وقتك" [level=1]',
      'paragraph: صفحتك مخفية وتبقى كما تركتها.',
      'paragraph: قد تكون الكاميرا ما زالت تعمل.',
      ...['button "متابعة"', ...BAR.ar]
    ]
  },
  // Yes comes first.
  'person-finish': {
    en: [
      'heading "Have you signed?" [level=1]',
      'paragraph: It’s signed once you’ve pressed the button on the page’s last step.',
      ...['button "Yes, I’ve signed"', 'button "Not yet"', ...BAR.en]
    ],
    ar: [
      'heading "هل وقّعت؟" [level=1]',
      'paragraph: يتم التوقيع بعد الضغط على زر الخطوة الأخيرة في الصفحة.',
      ...['button "نعم، وقّعت"', 'button "ليس بعد"', ...BAR.ar]
    ]
  },
  'person-stop': {
    en: [
      'heading "Stop signing?" [level=1]',
      'paragraph: Anything you haven’t submitted will be lost. You can start again later.',
      ...['button "Continue signing"', 'button "Stop and close"', ...BAR.en]
    ],
    ar: [
      'heading "هل تريد إيقاف التوقيع؟" [level=1]',
      'paragraph: ما لم ترسله سيضيع. يمكنك البدء من جديد لاحقًا.',
      ...['button "متابعة التوقيع"', 'button "إيقاف وإغلاق"', ...BAR.ar]
    ]
  },
  'person-file': {
    en: [
      'heading "Choose a file" [level=1]',
      'paragraph: The page gets a copy of the file you choose, and no other.',
      ...['radiogroup "Files"', ...FILES],
      ...['button "Give this file"', 'button "Continue without a file"', ...BAR.en]
    ],
    ar: [
      'heading "اختر ملفًا" [level=1]',
      'paragraph: تحصل الصفحة على نسخة من الملف الذي تختاره فقط، ولا شيء غيره.',
      ...['radiogroup "الملفات"', ...FILES],
      ...['button "إعطاء هذا الملف"', 'button "المتابعة بدون ملف"', ...BAR.ar]
    ]
  },
  'person-file-none': {
    en: [
      'heading "The page asks for a file" [level=1]',
      'paragraph: Staff can open files for you. Please ask staff.',
      'paragraph: Your page is hidden and stays as you left it.',
      ...['button "Continue without a file"', ...BAR.en]
    ],
    ar: [
      'heading "تطلب الصفحة ملفًا" [level=1]',
      'paragraph: يمكن للموظفين فتح ملفات لك. يرجى سؤال الموظفين.',
      'paragraph: صفحتك مخفية وتبقى كما تركتها.',
      ...['button "المتابعة بدون ملف"', ...BAR.ar]
    ]
  },
  'person-camera': {
    en: [
      'heading "The page needs the camera and microphone" [level=1]',
      'paragraph: signing.example.com needs it to confirm who you are. Staff can allow it with their PIN.',
      'paragraph: Without it, you may not be able to sign.',
      ...[...PAD, 'button "Continue without it"', ...BAR.en.slice(0, 2)]
    ],
    ar: [
      'heading "تحتاج الصفحة إلى الكاميرا والميكروفون" [level=1]',
      'paragraph: يحتاج signing.example.com إليها للتأكد من هويتك. يمكن للموظفين السماح بها برقمهم السري.',
      'paragraph: بدونها قد لا تتمكن من التوقيع.',
      ...[...PAD, 'button "المتابعة بدونها"', ...BAR.ar.slice(0, 2)]
    ]
  },
  'person-consent': {
    en: [
      'heading "The page needs the camera" [level=1]',
      'paragraph: Staff have allowed it. It’s used only if you agree.',
      'paragraph: Without it, you may not be able to sign.',
      ...['button "Allow"', 'button "Continue without it"', ...BAR.en]
    ],
    ar: [
      'heading "تحتاج الصفحة إلى الكاميرا" [level=1]',
      'paragraph: سمح الموظفون بذلك. لن تُستخدم إلا بموافقتك.',
      'paragraph: بدونها قد لا تتمكن من التوقيع.',
      ...['button "السماح"', 'button "المتابعة بدونها"', ...BAR.ar]
    ]
  },
  'person-away-camera': {
    en: [
      'heading "Please ask staff to continue" [level=1]',
      'paragraph: Your page is hidden and stays as you left it.',
      'paragraph: The camera may still be on.',
      ...[...PAD, ...BAR.en.slice(0, 2)]
    ],
    ar: [
      'heading "يرجى طلب الموظفين للمتابعة" [level=1]',
      'paragraph: صفحتك مخفية وتبقى كما تركتها.',
      'paragraph: قد تكون الكاميرا ما زالت تعمل.',
      ...[...PAD, ...BAR.ar.slice(0, 2)]
    ]
  },
  'person-pin': {
    en: [
      ...['heading "Staff only" [level=1]', 'paragraph: Enter your PIN to help or to end the session.'],
      ...[...PAD, 'button "Go back"', 'button "Forgot PIN?"', ...BAR.en.slice(0, 2)]
    ],
    ar: [
      ...['heading "للموظفين فقط" [level=1]', 'paragraph: Enter your PIN to help or to end the session.'],
      ...[...PAD, 'button "رجوع"', 'button "Forgot PIN?"', ...BAR.ar.slice(0, 2)]
    ]
  },
  'person-staff': STAFFS([
    ...['heading "Staff options" [level=1]', 'paragraph: Mere Parata, Residential tenancy agreement'],
    ...['paragraph: The page is as they left it.', LOSES, 'button "Continue signing"'],
    ...['button "Print page"', 'button "Save page…"', 'button "End session"', 'group: 2 blocked actions']
  ]),
  'person-staff-file': STAFFS([
    'heading "The page asks for a file" [level=1]',
    'paragraph: Choose files or a folder for this signer. They see the file names, and choose one to give to the page.',
    ...['paragraph: Mere Parata, Residential tenancy agreement', 'paragraph: The page is as they left it.', LOSES],
    ...['button "Choose files…"', 'button "Open a folder…"', 'button "Continue without a file"'],
    'button "End session"'
  ]),
  'person-staff-camera': STAFFS([
    'heading "Allow the camera and microphone?" [level=1]',
    'paragraph: Allowed until this session ends, and recorded in the audit trail.',
    ...['paragraph: Mere Parata, Residential tenancy agreement', LOSES],
    ...['button "Allow camera and microphone"', 'button "Don’t allow"', 'button "End session"']
  ]),
  'person-asking': {
    en: [
      'heading "One moment, please…" [level=1]',
      'status: We’re checking “Residential tenancy agreement” with the signing service.',
      ...BAR.en
    ],
    ar: [
      'heading "لحظة من فضلك…" [level=1]',
      'status: نسأل خدمة التوقيع عن «Residential tenancy agreement».',
      ...BAR.ar
    ]
  },
  'person-between': {
    en: [
      `'heading "Signed: Residential tenancy agreement" [level=1]'`,
      ...['list', 'listitem: Residential tenancy agreement Signed'],
      ...['listitem: Statement of advice', 'listitem: Superannuation standard choice'],
      ...['button "Continue to Statement of advice"', 'paragraph: "Next: document 2 of 3"', ...BAR.en]
    ],
    ar: [
      `'heading "تم التوقيع: Residential tenancy agreement" [level=1]'`,
      ...['list', 'listitem: Residential tenancy agreement تم التوقيع'],
      ...['listitem: Statement of advice', 'listitem: Superannuation standard choice'],
      ...['button "المتابعة إلى Statement of advice"', 'paragraph: "التالي: المستند 2 من 3"', ...BAR.ar]
    ]
  },
  'person-between-unknown': {
    en: [
      `'heading "Not confirmed yet: Residential tenancy agreement" [level=1]'`,
      'paragraph: We couldn’t check just now. Staff will let you know.',
      ...['button "Continue to Statement of advice"', 'paragraph: "Next: document 2 of 2"', ...BAR.en]
    ],
    ar: [
      `'heading "لم يتأكد بعد: Residential tenancy agreement" [level=1]'`,
      'paragraph: تعذّر التحقق الآن. سيخبرك الموظفون.',
      ...['button "المتابعة إلى Statement of advice"', 'paragraph: "التالي: المستند 2 من 2"', ...BAR.ar]
    ]
  },
  'person-between-declined': {
    en: [
      `'heading "Declined: Residential tenancy agreement" [level=1]'`,
      ...['button "Continue to Statement of advice"', 'button "Stop here"', ...BAR.en]
    ],
    ar: [
      `'heading "تم الرفض: Residential tenancy agreement" [level=1]'`,
      ...['button "المتابعة إلى Statement of advice"', 'button "التوقف هنا"', ...BAR.ar]
    ]
  },
  'person-between-not-yet': {
    en: [
      'heading "Not signed yet" [level=1]',
      'paragraph: To sign “Residential tenancy agreement”, open it again and go through to the last step.',
      ...['button "Open again"', 'button "Not now"', ...BAR.en]
    ],
    ar: [
      'heading "لم يُوقّع بعد" [level=1]',
      'paragraph: لتوقيع «Residential tenancy agreement»، افتحه من جديد وتابع حتى الخطوة الأخيرة.',
      ...['button "فتح من جديد"', 'button "ليس الآن"', ...BAR.ar]
    ]
  },
  'person-failed': {
    en: [
      'heading "The page couldn’t be opened" [level=1]',
      'paragraph: It’s nothing you did. The page took too long to open.',
      'paragraph: We’ll check with the signing service whether anything was signed.',
      ...['button "Try again"', 'button "Give the screen back"', 'group: Details for staff', ...BAR.en]
    ],
    ar: [
      'heading "تعذّر فتح الصفحة" [level=1]',
      'paragraph: ليس هذا خطأك. استغرق فتح الصفحة وقتًا طويلًا.',
      'paragraph: سنسأل خدمة التوقيع عمّا إذا تم توقيع شيء.',
      ...['button "حاول مرة أخرى"', 'button "إعادة الشاشة"', 'group: Details for staff', ...BAR.ar]
    ]
  },
  'person-failed-turn': {
    en: [
      'heading "This document can’t be signed now" [level=1]',
      'paragraph: It’s nothing you did. It may be someone else’s turn first, or it’s already been signed.',
      ...['button "Skip this document"', 'group: Details for staff', ...BAR.en]
    ],
    ar: [
      'heading "لا يمكن توقيع هذا المستند الآن" [level=1]',
      'paragraph: ليس هذا خطأك. قد يكون دور شخص آخر أولًا، أو تم توقيعه من قبل.',
      ...['button "تخطّي هذا المستند"', 'group: Details for staff', ...BAR.ar]
    ]
  },
  'person-return-unknown': {
    en: [
      ...['heading "Thank you" [level=1]', 'paragraph: Staff will tell you what happens next.'],
      ...['list', 'listitem: Residential tenancy agreement Signed', 'listitem: Statement of advice Signed'],
      'listitem: Superannuation standard choice Not signed yet',
      ...['paragraph: Please give the screen back to staff.', ...BAR.en.slice(1)]
    ],
    ar: [
      ...['heading "شكرًا لك" [level=1]', 'paragraph: سيخبرك الموظفون بما يلي.'],
      ...['list', 'listitem: Residential tenancy agreement تم التوقيع', 'listitem: Statement of advice تم التوقيع'],
      'listitem: Superannuation standard choice لم يُوقّع بعد',
      ...['paragraph: يرجى إعادة الشاشة إلى الموظفين.', ...BAR.ar.slice(1)]
    ]
  },
  'person-interrupted': {
    en: [
      'heading "Signing was interrupted" [level=1]',
      'paragraph: Countersign closed unexpectedly. Nothing you entered was kept on this computer.',
      ...['paragraph: Please give the screen back to staff.', ...BAR.en.slice(1)]
    ],
    ar: [
      'heading "انقطع التوقيع" [level=1]',
      'paragraph: أُغلق Countersign فجأة. لم يُحفظ على هذا الحاسوب شيء مما أدخلته.',
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

for (const [name, tree] of Object.entries({ ...STAGES, ...OTHER_STAGES }))
  test(name, { tag: name in STAGES || name === 'person-open-three' ? [] : '@full' }, async () => {
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
/** The other languages and scenes: the same parts in the same order and state as in English. */
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
