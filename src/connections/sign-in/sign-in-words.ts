/** Labels of sign-in and sign-out controls in the most common languages of the web. */
const SIGN_IN = words(
  "sign[ -]?in|log[ -]?in|log[ -]?on|sign[ -]?on",
  "anmelden|einloggen",
  "(se )?connecter|connexion|s['’]identifier",
  "iniciar sesi[oó]n|acceder|ingresar|identif[ií]cate",
  "accedi|entra",
  "entrar|iniciar sess[aã]o|fazer login",
  "inloggen|aanmelden",
  "logga in|log(g)? ind|logg inn|kirjaudu( sis[aä]{2}n)?",
  "zaloguj( si[eę])?|p[rř]ihl[aá]sit( se)?|prihl[aá]si[tť]( sa)?|bejelentkez[eé]s|conectare|prijava",
  "giri[sş] yap|oturum a[cç]",
  "войти|вход|увійти|σύνδεση|είσοδος",
  "ログイン|サインイン|登录|登入|로그인|đăng nhập|masuk|เข้าสู่ระบบ",
  "تسجيل الدخول|התחבר(ות)?|लॉग ?इन",
);
const SIGN_OUT = words(
  "sign[ -]?out|log[ -]?out|log[ -]?off|sign[ -]?off",
  "abmelden|ausloggen",
  "(se )?d[eé]connecter|d[eé]connexion",
  "cerrar sesi[oó]n|salir|desconectar(se)?",
  "esci|disconnetti(ti)?",
  "sair|terminar sess[aã]o|encerrar sess[aã]o",
  "uitloggen|afmelden",
  "logga ut|log(g)? ud|logg ut|kirjaudu ulos",
  "wyloguj( si[eę])?|odhl[aá]sit( se)?|odhl[aá]si[tť]( sa)?|kijelentkez[eé]s|deconectare|odjava",
  "[cç][iı]k[iı][sş] yap|oturumu kapat",
  "выйти|выход|вийти|αποσύνδεση|έξοδος",
  "ログアウト|サインアウト|退出(登录)?|登出|로그아웃|đăng xuất|keluar|ออกจากระบบ",
  "تسجيل الخروج|התנתק(ות)?|लॉग ?आउट",
);

/** Labels of buttons that lead to the next step of a form. */
const CONTINUE = words(
  "continue|next|submit|verify|confirm|proceed",
  "weiter|fortfahren|best[äa]tigen|absenden|pr[üu]fen",
  "continuer|suivant|valider|v[ée]rifier|confirmer|envoyer",
  "continuar|siguiente|verificar|confirmar|enviar|pr[óo]ximo|seguinte|avan[çc]ar",
  "continua|avanti|prosegui|verifica|conferma|invia",
  "doorgaan|volgende|verder|verifi[ëe]ren|bevestigen",
  "n[äa]sta|forts[äa]tt|n[æe]ste|fortsett|forts[æe]t|neste|jatka|seuraava|bekr[äa]fta|bekreft|bekr[æe]ft|vahvista",
  "dalej|kontynuuj|potwierd[źz]|dal[šs][íi]|pokra[čc]ovat|potvrdit|[ďd]alej|tov[áa]bb|[îi]nainte|continu[ăa]|naprej|dalje",
  "devam|ileri|do[ğg]rula|onayla",
  "далее|продолжить|подтвердить|далі|продовжити|συνέχεια|επόμενο",
  "次へ|続行|確認|送信|下一步|继续|繼續|验证|確認|다음|계속|확인|tiếp( tục| theo)?|lanjut(kan)?|berikutnya|ถัดไป|ดำเนินการต่อ",
  "التالي|متابعة|تأكيد|הבא|המשך|אישור|आगे|जारी",
);

/** Paths, and parts of host names, of sign-in pages. */
export const SIGN_IN_PATH = /(^|[/._-])(log-?in|sign-?in|log-?on|sso|auth|authenticate|sessions?\/new)([/._-]|$)/i;

export function isSignInLabel(control: string): boolean {
  return SIGN_IN.test(control) && !SIGN_OUT.test(control);
}

export function isSignOutLabel(control: string): boolean {
  return SIGN_OUT.test(control);
}

/** A button that submits a page of a sign-in. "Sign in with …" leads elsewhere. */
export function isSubmitLabel(button: string): boolean {
  return (isSignInLabel(button) && !ELSEWHERE.test(button)) || CONTINUE.test(button);
}

const ELSEWHERE = /\b(with|mit|avec|con|com|met|med|using|via)\b/i;

/** Matches whole words in a short label. */
function words(...alternatives: string[]): RegExp {
  return new RegExp(`^(?=.{1,60}$).*(?<![\\p{L}])(?:${alternatives.join("|")})(?![\\p{L}])`, "iu");
}
