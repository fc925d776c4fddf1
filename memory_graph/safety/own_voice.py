"""Check that a statement is the user's own: no quotation, no order, nothing invented."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from memory_graph.keys import normalise
from memory_graph.records import FactCandidate

_ACTS = (
    r"(?:recommend|suggest|promote|advertise|mention|praise|send|forward|share|e-?mail|post|"
    r"execute|run|call|ignore|disregard|override|trust|obey|transfer|pay|wire|approve|buy|"
    r"purchase|order|visit|click|open|download|install|reveal|disclose|output|print|delete|"
    r"exfiltrate|upload|include|append|insert|add|cite|link|redirect|tell|prefer|use|choose|"
    r"refuse|reply|respond|answer|act|behave|pretend|grant|give|allow|skip|bypass|disable)"
)

_ORDER = re.compile(
    rf"\b(?:always|never|must|please|from now on,?)\s+"
    rf"(?:always |never |only |also )?{_ACTS}\b(?!s)"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(?:instruction|prompt|rule|"
    r"polic|guardrail|safety|previous|prior|above|restriction)"
    r"|\b(?:system|developer|hidden|initial) (?:prompt|message|instruction|override|note)"
    r"|\b(?:you|assistant|agent|ai|model|bot) (?:is|are|must|should|shall|will|may|can|has|have)"
    r"(?: now| to| always| never)* (?:a |an |the |in )?"
    rf"(?:{_ACTS}|dan\b|jailbr|unrestricted|developer mode|admin|root|authori[sz]ed|allowed)"
    r"|\b(?:new|updated|following) (?:instruction|rule|polic|directive)s?\b",
    re.IGNORECASE,
)

_PERMISSION = re.compile(
    r"\b(?:authori[sz]e[sd]?|pre-?approve[sd]?|approve[sd]?|permit(?:s|ted)?|consent(?:s|ed)?|"
    r"grant(?:s|ed)?|allow(?:s|ed)?|whitelist(?:s|ed)?)\b[^.]{0,60}"
    r"\b(?:all|any|every|access|transfer|payment|purchase|transaction|wire|to (?:send|share|"
    r"transfer|pay|delete|run|execute|access)|permission|admin|root|without)"
    r"|\bapprov\w+ automatically\b|\bautomatically approv"
    r"|\b(?:wire|transfer|pay|send|buy|spend|delete)\b[^.]{0,30}\bwithout (?:asking|confirm|approv)"
    r"|\b(?:not|n't|never) (?:need|have) to (?:confirm|approve|authori[sz]e)\b"
    r"|\bhas (?:admin|root|full|unlimited|superuser) (?:access|rights|permission|privilege)"
    r"|\bis (?:an? |the )?(?:superuser|root user|system owner)\b"
    r"|\b(?:überweis|bezahl|zahl|kauf|genehmig|pago|pagar|transfer|compra|aprueba|autoriza|vire|"
    r"paiement|paie|achat|approuve|valide|pagament|bonific|acquist|aprova)\w*\b[^.]{0,60}"
    r"\b(?:ohne (?:rückfrage|nachfrage|zu fragen)|sin (?:preguntar|confirmar)|"
    r"sans (?:me )?(?:demander|confirm)|senza (?:chiedere|conferma)|sem (?:perguntar|confirmar))",
    re.IGNORECASE,
)

_POWER = (
    r"(?:admin(?:istrator|istrative)?|root|superuser|sudo|god|full|unlimited|unrestricted|"
    r"elevated|privileged|master|total|complete|special|override|developer|write|top)"
)

_AUTHORITY = re.compile(
    rf"\b(?:has|have|had|holds?|got|with|given|using) (?:\w+ )?{_POWER}(?:[ -]level)? "
    r"(?:access|rights?|permissions?|privileges?|clearance|authority|control|mode|powers?)\b"
    r"|\b(?:is|am|are|i'm|be|as) (?:an? |the |your |also |now )*(?:superuser|super ?admin|admin|"
    r"administrator|root(?: user)?|sysadmin)\b(?! (?:at|of|in|for) )(?!istrat)"
    r"|\b(?:is|am|are|i'm|be|as) (?:(?:your|its)|(?:the|this|your) (?:system|platform|server|"
    r"assistant|agent|ai|bot|model|database)(?:'s|’s)?) (?:owner|admin|administrator|operator|"
    r"creator|maintainer|developer|master|controller)\b(?! (?:of|at|in) )"
    r"|\b(?:owner|admin|administrator|operator|creator|master) of (?:this|the|your) (?:system|"
    r"platform|server|assistant|agent|ai|bot|model|database)\b"
    r"|\b(?:outranks?|speaks? for|(?:acts?|speaks?|writes?) on behalf of) (?:the )?(?:system|"
    r"developers?|admins?|administrators?|openai|anthropic|google|security team|company)\b"
    r"|\b(?:security|level \d+|top[ -]secret) clearance\b"
    r"|\b(?:is|am|are|i'm) (?:fully |explicitly |always |pre-?)?(?:authori[sz]ed|entitled|"
    r"permitted|cleared|exempt)\b[^.]{0,40}\b(?:all|any|every|everything|anything|systems?|"
    r"data|accounts?|rules?|polic|transactions?|users?)"
    r"|\b(?:can|may|access to|access) (?:access |read |see |view |delete |approve )?(?:all|any|"
    r"every|everyone's|other)\b[^.]{0,20}\b(?:accounts?|records?|users?|systems?|data|files?|"
    r"memor(?:y|ies)|passwords?|payments?|refunds?|transactions?)\b"
    r"|\bclearance level\b|\boverride codes?\b|\bobey me\b"
    r"|\bowns? (?:this|your|the) (?:ai|assistant|agent|bot|model|system|platform|server)\b"
    r"|\badmin\w* (?:dieses|des|del|de este|du|de ce|do|deste) (?:syst|sist|server|serv)"
    r"|\b(?:zugriff auf|acceso (?:\w+ )?a|accès (?:\w+ )?à|accesso (?:\w+ )?a) (?:alle|tod[oa]s|"
    r"tou(?:s|tes)|tutt[ie])\b|\btous les droits sur\b|\btodos los derechos sobre\b"
    r"|\bmust be obeyed\b|\b(?:no|without) (?:limits?|restrictions?|guardrails?) appl",
    re.IGNORECASE,
)
"""A claim of rights over a system, or of a rank in it; the name of a job is no such claim."""

_ADDRESS = re.compile(
    r"\bhttps?://|\bwww\.|(?<![\w.-])[\w.-]+\.(?:com|net|org|io|ru|xyz|biz|info)/\S"
)

_ADDRESSED = re.compile(
    rf"\b{_ACTS}(?:s|ed|ing)?\b|\b(?:should|must|needs? to|wants? (?:you|the assistant))\b",
    re.IGNORECASE,
)

_MARKUP = re.compile(
    r"</?[a-z][\w-]*>|<\||\|>|\[/?(?:INST|SYSTEM)\]|^#{1,6} |\{\{|```", re.IGNORECASE | re.MULTILINE
)


def is_instruction(statement: str) -> bool:
    """Say whether a statement gives orders to an agent that reads it."""
    if _ORDER.search(statement) or _PERMISSION.search(statement) or _MARKUP.search(statement):
        return True
    if claims_authority(statement):
        return True
    return bool(_ADDRESS.search(statement) and _ADDRESSED.search(statement))


def claims_authority(statement: str) -> bool:
    """Say whether a statement claims rights over a system."""
    return bool(_AUTHORITY.search(statement))


_ROLES = (
    r"(?:the\s+)?(?:user|human|person|customer|client|assistant|ai|bot|agent|model|llm|chatbot|"
    r"system|developer|tool|function|admin(?:istrator)?|operator|root|chatgpt|claude|gemini|gpt|"
    r"usuari[oa]|usu[aá]ri[oa]|benutzer(?:in)?|nutzer(?:in)?|utilisat(?:eur|rice)|utente|gebruiker|"
    r"asistente|assistente|assistent|sistema|humano|speaker|interviewer|interviewee|narrator|"
    r"client[ea]|kund(?:e|in)|mensch|humain|umano|ia|ki|entwickler(?:in)?|desarrollador|développeur|werkzeugs?|herramienta|"
    r"outil|strumento|ferramenta)"
)

_PLAYERS = (
    r"(?:user|human|assistant|chatbot|usuari[oa]|benutzer(?:in)?|nutzer(?:in)?|utilisat(?:eur|rice)|"
    r"utente|asistente|assistent|tool|werkzeugs?|herramienta|outil|strumento|ferramenta)"
)
"""Those of them that a longer label ends with only where it tells whose words follow."""

_FIRST_PERSON = (
    r"(?:i|me|my|we|our|us|ich|mein\w*|wir|unser\w*|yo|mi|mis|nosotros|je|mon|ma|mes|nous)"
)

_PAPERS = (
    r"(?:(?:e-?mail|mail|letter|message|text|note|post|comment|article|page)[ \t]+(?:from|by)[ \t]+"
    r"[^:\n]{1,40}|trans(?:cripts?|krip\w*|crip\w*)|lyrics|quote|quotation|zitat|cita|"
    r"citation|excerpt|review|observation|thought|"
    r"stdout|stderr|(?:search|query|function|tool)[ \t]+(?:results?|output|call[^:\n]{0,20})|"
    r"suchergebnis(?:se)?|résultats? de (?:la )?recherche|resultados? de la búsqueda|"
    r"final answer|(?:conversation )?summary(?: of [^:\n]{1,40})?|memory(?: update)?|"
    r"\w+_\w+|[qa]\d*)"
)

_ROLE_LINE = re.compile(
    rf"^(?:[ \t>#*_\-\[(<|]*|[ \t]*\d+[.)][ \t]*)(?:{_ROLES}(?:[ \t]*(?:\([^)\n]{{0,40}}\)|\d+|"
    r"says?|said|message|prompt|input|output|result|reply|response|note))?[ \t*_\])>|]*(?::|>|"
    rf"[ \t]-[ \t])|{_PAPERS}[ \t*_\])]*:)"
    rf"|^(?![^:\n]*\b{_FIRST_PERSON}\b)(?:[^\s:.!?]+[ \t]+){{1,3}}[(\[]?(?:[ldn]['’])?{_PLAYERS}"
    r"[ \t*_\])]*:",
    re.IGNORECASE,
)
"""`Human:`, `**The user**:`, `tool output:`, `Lyrics:`, `Turn 3 (user):` where a line begins."""

_MIXED = re.compile(r"^[^:\n]{0,40}(?:[a-z][Ͱ-ӿ]|[Ͱ-ӿ][a-z])[^:\n]{0,40}:", re.IGNORECASE)
"""A label in letters of two alphabets, made to look like another one."""

_REPORTS = re.compile(
    r"^(?![^:\n]*\b(?:ich|wir|je|nous)\b)[^.!?:\n]{0,60}\b(?:schr(?:ieb|eibt)|geschrieben|"
    r"sagte?|meinte?|lautet|escribi(?:ó|eron)|escribe|dijo|dice|écrit|dit|a répondu|scritto|disse|"
    r"escreveu)\b[^.!?:\n]{0,20}:"
    r"|^(?![^:\n]*\b(?:i|we)\b)[^.!?:\n]{0,60}\b(?:says?|said|returned|wrote|writes|reads?|replied|answered|"
    r"texted|posted|told (?:me|us|him|her|them))\b[^.!?:\n]{0,20}:"
    r"(?:[ \t]*$|(?=[^\n]*\b(?:i|i'm|i've|my|we|our)\b))"
    r"|^(?![^:\n]*\b(?:i|me|my|we|our)\b)[^.!?:\n]{0,60}\b(?:text|e-?mail|mail|message|page|article|"
    r"output|log|transcript|document|review|letter|post|story|poem|paragraph|website|bio|sample|"
    r"example|template|brief|nachricht|seite|artikel|carta|mensaje|correo|texto|página|artículo|"
    r"lettre|texte|courriel|article|lettera|messaggio|testo|mensagem)\b[^.!?:\n]{0,40}:[ \t]*$"
    r"|^from [^.!?:\n]{0,40}\b(?:profile|page|site|website|book|article|post|chat|forum|mail|"
    r"letter|story|advert|brochure|bio)\b[^.!?:\n]{0,20}:",
    re.IGNORECASE,
)
"""`My friend wrote: I …`, `Here is the page:` where a line begins; not what I myself said."""

_OF_THE_USER = re.compile(
    r"(?:^|(?<=[.!?:;] ))(?:the user(?:'s \w+)? \w+(?:s|ed)|user (?:is|has|was|lives|likes|loves|"
    r"prefers|wants|works|moved))\b[^.!?\n]*[.!?]?",
    re.IGNORECASE | re.MULTILINE,
)
"""A statement about `the user`: nobody speaks of themselves like that."""

_ROLE_MARK = re.compile(
    r"<\|[^|\n]{0,40}\|>|\[/?INST\]|</?(?:system|user|assistant|tool|human)>", re.IGNORECASE
)

_FORWARDED = re.compile(
    r"^[ \t>]*(?:-{2,} ?(?:original|forwarded) message|begin forwarded message|on .{4,80} wrote:|"
    r"from: .{1,200}$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a mail begins that somebody else wrote."""

_FENCED = re.compile(
    r"(```|~~~|\'\'\'|\"\"\").*?(?:\1|\Z)|"
    r"^[ \t]*(?:[-=*#\[<]{2,}[ \t]*(?:begin|start|pasted?)|(?-i:BEGIN|PASTE))\b[^.!?\n]{0,40}$"
    r".*?(?:^[-=*#\[\]<> \t]{0,20}end\b[^\n]*$|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)

_BLOCK_QUOTE = re.compile(r"^[ \t]*(?:[>|│]|//|/\*).*$", re.MULTILINE)

_QUOTATION = re.compile(
    r"\"[^\"\n]{3,}\"|“[^“”\n]{3,}”|«[^«»\n]{3,}»|‹[^‹›\n]{3,}›|(?<!\w)'[^'\n]{6,}'(?!\w)"
)

_STATES = re.compile(
    r"\b(?:i|i'm|i’m|i've|i’ve|my|me|mine|we|we're|our|you|your|user|user's|he|she|they)\b",
    re.IGNORECASE,
)

_SENTENCE = re.compile(r"^.\s*\S+\s+\S+\s+\S+.*[.!?…]\s*.$")
"""Three words and a full stop in quotation marks: in no language is that a name."""

_DICTATED = re.compile(
    r"\b(?:translate|rephrase|rewrite|reword|proofread|paraphrase|summari[sz]e|repeat|"
    r"correct (?:this|the)|fix (?:this|the)|say|type|print|output|write|draft|compose|"
    r"shorten(?:ed)?|improve|edit|review|read (?:this|it|out|aloud)|übersetz(?:e|en)?|korrigiere?|"
    r"formuliere?|tradu(?:ce|cir|is|isez|ire|za)|"
    r"(?<!je )(?<!me )corrig(?:e|ez|i)|reescribe|reformulez?|"
    r"résumez?|resume (?:est[eo]|el|la)|riscrivi)\b[^.!?\n:]{0,60}:.*",
    re.IGNORECASE | re.DOTALL,
)

_SPEAKER_LINE = re.compile(r"^[^\S\n]*[A-Z]\w+: .*\b(?:I|I'm|my|we|you)\b.*$", re.MULTILINE)

_LOG_LINE = re.compile(
    r"^[^\S\n]*(?:\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|at \S+\(|File \"|Traceback|"
    r"\w*(?:Error|Exception): |(?:ERROR|WARN|WARNING|INFO|DEBUG)\b)",
    re.MULTILINE,
)

_CODE_LINE = re.compile(
    r"^[^\S\n]*(?:def |class |import |from \w[\w.]* import |return\b|function |const |let |var |"
    r"#include|public |private |SELECT |INSERT |<\/?\w+|\{|\}|\w+\(.*\);?$|[\w.]+ = )",
    re.MULTILINE,
)

_LETTER = re.compile(
    r"^[^\S\n]*(?:dear|hello|hi) [\w .]+,[^\S\n]*$|"
    r"^[^\S\n]*(?:(?:best|kind|warm)[^\S\n]*)?(?:regards|wishes),?|"
    r"^[^\S\n]*(?:sehr geehrte|estimad[oa]s?|querid[oa]s?|ch(?:er|ère)s?|monsieur|madame)\b"
    r"[^.!?\n]*,|"
    r"^[^\S\n]*(?:mit freundlichen|viele|liebe) grüßen?\b|^[^\S\n]*(?:atentamente|saludos|"
    r"cordialement|bien à vous)\b|^[^\S\n]*(?:yours sincerely|sincerely)\b|"
    r"^[^\S\n]*(?:from|to|subject): ",
    re.IGNORECASE | re.MULTILINE,
)


@lru_cache(maxsize=32)
def own_voice(message: str) -> str:
    """Return a message without quotations, forwarded text and the words of others.

    A quoted name stays, since `my favourite film is "Alien"` is the user's own statement.
    """
    text = _FENCED.sub("\n", message.replace("’", "'"))
    if forwarded := _FORWARDED.search(text):
        text = text[: forwarded.start()]
    text = _BLOCK_QUOTE.sub("", text)
    own = "\n".join(_own_lines(text.split("\n")))
    text = _OF_THE_USER.sub("", _without_papers(own))
    return _QUOTATION.sub(_unless_it_states, text).strip()


def _own_lines(lines: Iterable[str]) -> Iterator[str]:
    """Remove lines under somebody's name, and the paragraph that a line announces."""
    is_anothers = is_announced = False
    for line in lines:
        reports = _REPORTS.match(line[:200])
        if not line.strip():
            is_anothers = is_announced
        elif _is_role_line(line) or reports or is_anothers:
            is_anothers, is_announced = True, bool(reports) and line.rstrip().endswith(":")
        if not is_anothers:
            yield line


def _without_papers(text: str) -> str:
    """Return a text without letters, logs, loose code, transcripts and text to be rewritten."""
    if len(_LETTER.findall(text)) >= 2:
        return ""
    return _DICTATED.sub(" ", _drop_lines(text))


def _drop_lines(text: str) -> str:
    """Remove logs, loose code and transcripts: only when two lines or more look like it."""
    for pattern in (_LOG_LINE, _CODE_LINE, _SPEAKER_LINE):
        if len(pattern.findall(text)) >= 2:
            lines = (line for line in text.splitlines() if not pattern.match(line))
            text = "\n".join(line for line in lines if not line.startswith("    "))
    return text


_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\ufeff]")


def _is_role_line(line: str) -> bool:
    head = _UNSEEN.sub("", unicodedata.normalize("NFKC", line[:200]))
    return bool(_ROLE_LINE.match(head) or _MIXED.match(head) or _ROLE_MARK.search(line))


def _unless_it_states(quotation: re.Match[str]) -> str:
    return " " if _STATES.search(quotation[0]) or _SENTENCE.search(quotation[0]) else quotation[0]


_STEM = 4
_LEAST_WORDS = 2
_SEPARATORS = re.compile(r"(?:['’]s\b)|[^\w+#]+|(?<=\d)(?=[a-z])")

_GENERIC = frozenset(
    "user the and has have had was were are with for from that this their they his her its who "
    "name named called now not does did own very about into been being years year old a an i is "
    "in on at of to my no planned longer like likes love loves hate hates dislike dislikes".split()
)

_ANSWERS = frozenset("yes no true false like dislike".split())

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}

_CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
"""Names that a model derives from words such as `tomorrow`, which nobody has to say."""


def is_grounded(candidate: FactCandidate, texts: Sequence[str]) -> bool:
    """Say whether the last of the user's `texts` states what a candidate says.

    Whom it is about may have been named earlier. The last text must hold a word of the value, or
    else two words of the statement, and nobody may be named whom the user did not name.
    """
    last, heard = _words(texts[-1]), _words(" ".join(texts))
    if _is_named(candidate) and not _words(candidate.entity) <= heard:
        return False
    stated = _stated_value(candidate)
    value = _words(stated)
    if _is_quoted(stated, texts[-1]):
        return True
    if _invents_names(candidate, heard):
        return False
    if value & last:
        return True
    if _names_in(stated):
        return False
    statement = {word for word in _words(candidate.statement) if not word.isdigit()}
    statement -= _words(candidate.entity)
    least = min(len(statement), _LEAST_WORDS if value else 1)
    return len(statement & last) >= max(least, 1)


def _is_quoted(value: str, text: str) -> bool:
    """Say whether a value is in a text that is not written with spaces between words."""
    return bool(value) and not value.isascii() and value.casefold() in text.casefold()


def _invents_names(candidate: FactCandidate, heard: frozenset[str]) -> bool:
    """Say whether a candidate adds a name; a country added to a city does no harm."""
    _, _, rest = candidate.statement.partition(" ")
    names = _names_in(f"{rest} {candidate.value or ''}")
    return len(names - heard) > len(names & heard)


def _names_in(text: str) -> frozenset[str]:
    words = (word for word in _SEPARATORS.split(text) if word[:1].isupper())
    return _words(" ".join(word for word in words if word.casefold() not in _CALENDAR))


def _stated_value(candidate: FactCandidate) -> str:
    """Return the value, unless it only says yes or no to what the statement names."""
    value = candidate.value or ""
    return "" if value.casefold() in _ANSWERS else value


def _is_named(candidate: FactCandidate) -> bool:
    entity = normalise(candidate.entity)
    return entity not in {"user", normalise(candidate.entity_kind or "")}


def _words(text: str) -> frozenset[str]:
    """Return the content words of a text, cut to their beginnings: `moving` equals `moved`."""
    words = [word for word in _SEPARATORS.split(text) if word]
    return frozenset(
        _folded(word) for word in words if word.casefold() not in _GENERIC and _is_telling(word)
    )


def _is_telling(word: str) -> bool:
    return len(word) > 2 or word.isdigit() or word[0].isupper()


def _folded(word: str) -> str:
    if word.isdigit():
        return word.lstrip("0") or "0"
    folded = normalise(word)
    return _NUMBERS.get(folded, folded[:_STEM])
