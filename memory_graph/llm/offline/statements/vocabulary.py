"""Which words are countries, nationalities, languages, occupations and tools?"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COUNTRIES = _words(
    """
    argentina australia austria belgium bolivia brazil bulgaria cambodia canada chile china
    colombia croatia cuba cyprus denmark ecuador egypt england estonia ethiopia finland france
    georgia germany ghana greece hungary iceland india indonesia iran iraq ireland israel italy
    jamaica japan jordan kenya korea kuwait latvia lebanon lithuania luxembourg malaysia malta
    mexico morocco nepal netherlands nigeria norway pakistan panama peru philippines poland
    portugal qatar romania russia scotland senegal serbia singapore slovakia slovenia spain
    sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda uk ukraine uruguay
    us usa venezuela vietnam wales
    """
) | frozenset(
    {
        "the us",
        "the usa",
        "the uk",
        "united states",
        "the united states",
        "united kingdom",
        "the united kingdom",
        "new zealand",
        "south korea",
        "south africa",
        "costa rica",
        "saudi arabia",
        "sri lanka",
        "czech republic",
        "the czech republic",
        "the netherlands",
        "the philippines",
    }
)

NATIONALITIES = _words(
    """
    afghan albanian algerian american argentinian armenian australian austrian bangladeshi
    belarusian belgian bolivian bosnian brazilian british bulgarian cambodian canadian catalan
    chilean chinese colombian croatian cuban cypriot czech danish dominican dutch ecuadorian
    egyptian english estonian ethiopian filipino finnish french georgian german ghanaian greek
    honduran hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican
    japanese kazakh kenyan korean latvian lebanese libyan lithuanian luxembourgish macedonian
    malaysian maltese mexican moldovan mongolian moroccan nepali nigerian norwegian pakistani
    palestinian panamanian paraguayan persian peruvian polish portuguese qatari romanian russian
    rwandan saudi scottish senegalese serbian singaporean slovak slovenian somali spanish
    sudanese swedish swiss syrian taiwanese tanzanian thai tunisian turkish ugandan ukrainian
    uruguayan venezuelan vietnamese welsh zambian zimbabwean
    """
)

LANGUAGES = NATIONALITIES | _words(
    """
    arabic mandarin cantonese hindi urdu bengali tamil telugu swahili farsi hebrew latin gaelic
    basque galician esperanto afrikaans malay tagalog yoruba zulu flemish sign
    """
)

PROGRAMMING_LANGUAGES = _words(
    """
    python java javascript typescript go golang rust c c++ c# kotlin swift ruby php scala
    haskell elixir erlang clojure julia r matlab perl lua dart zig ocaml sql bash cobol fortran
    elm f#
    """
)

OPERATING_SYSTEMS = (
    "ubuntu|debian|fedora|arch|arch linux|linux|linux mint|manjaro|nixos|windows|macos|mac os|"
    "opensuse|pop!_os|gentoo|freebsd|centos|rhel|alpine|elementary os"
)

CAR_MAKES = (
    "toyota|tesla|volvo|volkswagen|vw|golf|bmw|audi|mercedes|ford|honda|hyundai|kia|mazda|nissan|"
    "skoda|škoda|seat|renault|peugeot|citroen|citroën|fiat|opel|subaru|suzuki|mini|porsche|jeep|"
    "dacia|polestar|rivian|lexus|mitsubishi|chevrolet|jaguar"
)

OCCUPATIONS = _words(
    """
    nurse chef cook doctor lawyer teacher pilot architect artist accountant student professor
    dentist plumber electrician journalist translator designer engineer developer programmer
    scientist analyst consultant manager director founder ceo cto musician singer actor actress
    writer author editor barista waiter waitress carpenter mechanic farmer driver soldier
    firefighter policeman researcher therapist psychologist vet veterinarian pharmacist surgeon
    paramedic midwife librarian illustrator photographer painter sculptor poet novelist attorney
    judge economist biologist chemist physicist mathematician statistician recruiter salesman
    saleswoman cashier secretary assistant receptionist bartender baker butcher gardener
    landscaper hairdresser barber tailor athlete coach trainer contractor freelancer
    entrepreneur intern apprentice postdoc lecturer tutor principal curator producer filmmaker
    animator copywriter marketer strategist administrator technician operator pediatrician
    paediatrician cardiologist radiologist physiotherapist optician geologist astronomer
    historian linguist sociologist anthropologist diplomat politician priest pastor monk nanny
    housekeeper cleaner janitor courier sailor captain fisherman miner welder mason roofer
    surveyor planner broker banker trader auditor actuary notary paralegal detective officer
    guard bouncer model dancer dj composer conductor drummer guitarist pianist violinist owner
    head lead representative agent specialist practitioner sommelier brewer beekeeper zookeeper
    caretaker
    """
)

NOT_NAMES = _words(
    """
    vegan vegetarian single married engaged divorced retired sure sorry happy sad here there
    fine good done back ok okay ready hungry tired stuck lost new late busy sick i not so very
    too from in on at muslim christian jewish hindu buddhist catholic atheist european african
    asian american allergic confused bored excited afraid available interested curious important
    unknown team me you it to the a my
    """
)
"""Words that follow `I am` or `my name is` without being a name, even with a capital."""

TOOL_NAMES = (
    PROGRAMMING_LANGUAGES
    | _words(
        """
    vim neovim emacs helix vscode zed pycharm intellij sublime postgres postgresql mysql sqlite
    mongodb redis kafka aws azure gcp s3 lambda kubernetes k8s docker podman terraform ansible
    slack teams discord zoom notion obsidian jira linear asana trello github gitlab bitbucket
    react vue angular svelte django flask fastapi rails laravel spring pytorch tensorflow linux
    ubuntu windows macos android ios chrome firefox safari figma excel snowflake databricks
    spark airflow graphql
    """
    )
    | {"vs code", "visual studio code", "google cloud", "microservices"}
)
"""Places one can `move to` without leaving town."""
